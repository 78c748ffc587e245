import TesseraVerification

/// The certificates from the document signer to the country signer, drawn as boxes with arrows. A chain that ends early
/// ends with a broken arrow and an empty box.
struct CertificateChain {
  let report: Report

  /// A chain with more link certificates shows both ends.
  private static let maximumBoxes = 5

  var html: HTML {
    let status = report[.passiveChain]?.status ?? .skipped
    return .element(
      "section", [.class("chain")],
      [
        .element(
          "h2", [],
          [
            "Chain of certificates ",
            .element("span", [.class("tag"), status.colour], "\(status.symbol) trust in the signer \(status.word)"),
          ]),
        .element("ol", [], boxes),
      ])
  }

  private var isComplete: Bool { report.chain.last?.role == .countrySigner }

  private var boxes: [HTML] {
    var boxes: [HTML] = []
    for (index, part) in parts.enumerated() {
      if index > 0 { boxes.append(Self.connection(Drawing.arrow, "signed by")) }
      boxes.append(part)
    }
    guard !isComplete else { return boxes }
    if boxes.isEmpty { boxes.append(Self.gap("Document signer", "No certificate was followed.")) }
    return boxes + [
      Self.connection(Drawing.brokenArrow, "not traced", isBroken: true),
      Self.gap("Country signer", "The chain does not reach a trusted certificate."),
    ]
  }

  private var parts: [HTML] {
    let chain = report.chain
    guard chain.count > Self.maximumBoxes else { return chain.map(Self.box) }
    let left = chain.count - Self.maximumBoxes + 1
    return chain.prefix(Self.maximumBoxes - 2).map(Self.box) + [Self.gap("Links", "\(left) more certificates.")]
      + chain.suffix(1).map(Self.box)
  }

  private static func box(_ certificate: Report.Certificate) -> HTML {
    var list = FieldList()
    list.add("Key", certificate.key, limit: 60)
    list.add("Signature", certificate.signatureAlgorithm, limit: 60)
    list.add(
      "Valid", [],
      [
        .element("span", [.class("whole")], "\(PageDate.day(certificate.notBefore)) to"), " ",
        .element("span", [.class("whole")], PageDate.day(certificate.notAfter)),
      ])
    list.add("Serial", certificate.serialNumber, limit: 24)
    list.add("SHA-256", String(certificate.sha256.prefix(16)) + "…")
    list.add("From", certificate.source, limit: 60)
    return .element(
      "li", [.class("box")],
      [
        .element(
          "h3", [], [.text(certificate.role.title + " "), .element("b", [], [.chip(certificate.country, limit: 3)])]),
        .element("p", [.class("subject"), .title(certificate.subject)], [.chip(certificate.subject, limit: 90)]),
        list.html([]),
      ])
  }

  private static func gap(_ title: String, _ sentence: String) -> HTML {
    .element("li", [.class("box gap")], [.element("h3", [], title), .element("p", [], sentence)])
  }

  private static func connection(_ arrow: HTML, _ label: String, isBroken: Bool = false) -> HTML {
    .element(
      "li", [.class("connection"), isBroken ? .class("broken") : .class("whole")], [arrow, .element("span", [], label)])
  }
}

extension Report.Certificate.Role {
  fileprivate var title: String {
    switch self {
    case .documentSigner: "Document signer"
    case .link: "Link certificate"
    case .countrySigner: "Country signer"
    }
  }
}
