/// The drawings of the page, as SVG inside it. They take the colour of the text around them.
enum Drawing {
  /// An arrow to the next certificate.
  static let arrow = svg("0 0 34 14", "arrow", [path("M1 7H29M23 1.5 30 7 23 12.5")])

  /// An arrow that is cut.
  static let brokenArrow = svg(
    "0 0 34 14", "arrow", [path("M1 7H9M23 7H32M28 2.5 33 7 28 11.5M12.5 3.5 19.5 10.5M19.5 3.5 12.5 10.5")])

  /// Head and shoulders, in the place of a portrait.
  static let person = svg(
    "0 0 70 90", "person",
    [
      .element(
        "path",
        [
          .fixed(
            "d",
            "M35 20a14 14 0 0 1 14 14c0 9-6 17-14 17s-14-8-14-17a14 14 0 0 1 14-14ZM9 90c0-20 11-31 26-31s26 11 26 31Z")
        ])
    ])

  private static func path(_ line: StaticString) -> HTML {
    .element(
      "path",
      [
        .fixed("d", line), .fixed("fill", "none"), .fixed("stroke", "currentColor"), .fixed("stroke-width", "1.6"),
        .fixed("stroke-linecap", "round"), .fixed("stroke-linejoin", "round"),
      ])
  }

  private static func svg(_ viewBox: StaticString, _ name: StaticString, _ content: [HTML]) -> HTML {
    .element("svg", [.class(name), .fixed("viewBox", viewBox), .fixed("aria-hidden", "true")], content)
  }
}
