import TesseraPassport
import TesseraPictures

/// The portrait of DG2, and the pictures of DG5 and DG7.
struct DocumentPictures {
  let dump: DocumentDump

  var portrait: HTML {
    guard let face = dump.portrait else {
      guard dump.dataGroups[2] != nil else { return Self.placeholder("The portrait was not read.") }
      guard case .failure(let finding)? = dump.content.dataGroup2 else { return Self.placeholder("DG2 is malformed.") }
      return Self.placeholder(finding.failure.cause)
    }
    switch EmbeddedPicture(face.data) {
    case .shown(let address, let size, let isDamaged):
      let note = isDamaged ? "Portrait; its data are damaged" : ""
      return Self.figure("portrait", address, size, alternative: "Portrait of the holder", caption: note)
    case .unusable(let reason): return Self.placeholder(reason)
    }
  }

  /// DG5 and DG7, small.
  var others: HTML {
    let figures = [
      small("Portrait as printed", dump.content.dataGroup5), small("Signature or mark", dump.content.dataGroup7),
    ].compactMap { $0 }
    return figures.isEmpty ? .nothing : .element("div", [.class("others")], figures)
  }

  /// The first image of the group. nil if it cannot be shown: the portrait of DG2 is the one that counts.
  private func small(_ caption: String, _ group: Result<DisplayedImages, FileFinding>?) -> HTML? {
    guard let data = (try? group?.get())?.images.first, case .shown(let address, let size, _) = EmbeddedPicture(data)
    else { return nil }
    return Self.figure("small", address, size, alternative: caption, caption: caption)
  }

  private static func figure(
    _ name: StaticString, _ address: DataURL, _ size: ImageSize, alternative: String, caption: String
  ) -> HTML {
    .element(
      "figure", [.class(name)],
      [
        .element("img", [.source(address), .alt(alternative), .width(size.width), .height(size.height)]),
        caption.isEmpty ? .nothing : .element("figcaption", [], caption),
      ])
  }

  private static func placeholder(_ reason: String) -> HTML {
    .element(
      "figure", [.class("portrait missing")], [Drawing.person, .element("figcaption", [], "No portrait. \(reason)")])
  }
}
