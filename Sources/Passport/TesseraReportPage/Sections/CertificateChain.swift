import TesseraVerification

/// The certificates from the signer of the data to the country signer, drawn as boxes with arrows. A chain that ends early
/// ends with a broken arrow and an empty box.
struct CertificateChain {
  let certificates: [Report.Certificate]
  /// Of the check of the chain.
  let status: Check.Status
  /// What the first certificate is called.
  let signer: String

  /// A chain with more link certificates shows both ends.
  private static let maximumBoxes = 5

  var html: HTML {
    .element(
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

  private var isComplete: Bool { certificates.last?.role == .countrySigner }

  private var boxes: [HTML] {
    var boxes: [HTML] = []
    for (index, part) in parts.enumerated() {
      if index > 0 { boxes.append(Self.connection(Drawing.arrow, "signed by")) }
      boxes.append(part)
    }
    guard !isComplete else { return boxes }
    if boxes.isEmpty { boxes.append(Self.gap(signer, "No certificate was followed.")) }
    return boxes + [
      Self.connection(Drawing.brokenArrow, "not traced", isBroken: true),
      Self.gap("Country signer", "The chain does not reach a trusted certificate."),
    ]
  }

  private var parts: [HTML] {
    guard certificates.count > Self.maximumBoxes else { return certificates.map(box) }
    let left = certificates.count - Self.maximumBoxes + 1
    return certificates.prefix(Self.maximumBoxes - 2).map(box) + [Self.gap("Links", "\(left) more certificates.")]
      + certificates.suffix(1).map(box)
  }

  private func box(_ certificate: Report.Certificate) -> HTML {
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
          "h3", [], [.text(title(certificate.role) + " "), .element("b", [], [.chip(certificate.country, limit: 3)])]),
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

  private func title(_ role: Report.Certificate.Role) -> String {
    switch role {
    case .documentSigner: signer
    case .link: "Link certificate"
    case .countrySigner: "Country signer"
    }
  }
}

extension CertificateChain {
  init(report: Report) {
    self.init(
      certificates: report.chain, status: report[.passiveChain]?.status ?? .skipped, signer: "Document signer")
  }
}
