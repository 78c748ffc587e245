import TesseraCore
import TesseraVerification

extension SealReport {
  /// A part of the report as text for a terminal: no character in it moves the cursor or turns the writing direction.
  public struct Line: Sendable, Equatable {
    /// What a line is, for its colour.
    public enum Style: Sendable, Equatable {
      /// Text without a meaning of its own.
      case plain
      /// The outcome.
      case genuine, open, notGenuine
      /// The status of a check, and a finding.
      case passed, failed, skipped, unsupported, found
    }

    /// What the line is.
    public let style: Style
    /// What `style` is for: the status of a check, the name of a field; empty for a line of one piece.
    public let label: String
    /// The text behind the label. That of fields is personal data.
    public let text: String

    /// The label, with spaces up to the column of the text, and the text.
    public var whole: String {
      guard !label.isEmpty else { return text }
      return label + String(repeating: " ", count: max(1, 17 - label.count)) + text
    }

    fileprivate init(_ style: Style, _ label: String, _ text: String) {
      self.style = style
      self.label = PrintableText.of(label)
      self.text = PrintableText.of(text)
    }
  }

  /// The report for a terminal: the result and what it means, what the seal says, the checks and findings, the signer.
  public var lines: [Line] {
    let style: Line.Style =
      switch outcome {
      case .genuine: .genuine
      case .notEstablished: .open
      case .notGenuine: .notGenuine
      }
    return [Line(style, "", headline), Line(.plain, "", meaning), Line(.plain, "", "")] + contentLines + [
      Line(.plain, "", "")
    ] + checkLines
      + signerLines
  }

  private var contentLines: [Line] {
    let document = [kind.name, documentName, issuer].filter { !$0.isEmpty }.joined(separator: ", ")
    var lines = [Line(.plain, "Seal", document)]
    for field in header where !field.value.isEmpty { lines.append(Line(.plain, field.label, field.value)) }
    for field in fields {
      let value = field.value.isEmpty ? field.hexadecimal ?? "" : field.value
      let label = field.label
      for (index, part) in value.split(separator: "\n", maxSplits: 8, omittingEmptySubsequences: false).enumerated() {
        lines.append(Line(.plain, index == 0 ? label : " ", String(part)))
      }
    }
    return lines
  }

  private var checkLines: [Line] {
    checks.map { check in
      let (style, label): (Line.Style, String) =
        switch check.status {
        case .passed: (.passed, "passed")
        case .failed: (.failed, "FAILED")
        case .skipped: (.skipped, "skipped")
        case .unsupported: (.unsupported, "unsupported")
        }
      let name = check.id.rawValue
      return Line(style, label, name + String(repeating: " ", count: max(1, 25 - name.count)) + check.detail)
    } + findings.map { Line(.found, "FOUND", $0.detail) }
  }

  private var signerLines: [Line] {
    guard let signer else { return [] }
    let certificate = signer.certificate
    let place = certificate.source == "seal" ? "in the seal" : certificate.source
    let source = place.isEmpty ? "" : ", \(place)"
    return [
      Line(.plain, "", ""),
      Line(.plain, "Signer", "\(certificate.subject) (serial number \(certificate.serialNumber)\(source))"),
      Line(.plain, "Key", certificate.key),
    ]
  }
}

extension SealField {
  /// What a report for people calls the field: `Passport number`, `Element 50`.
  package var label: String {
    switch name {
    case "mrz": return "MRZ"
    case "unknown": return "Element \(tag ?? "")"
    default:
      let spaced = name.reduce(into: "") { text, character in
        // The numbers of the elements of lists: `vaccine1Dose2Date`.
        let isNumber = character.isNumber && text.last?.isLetter == true
        text += character.isUppercase || isNumber ? " " + character.lowercased() : String(character)
      }
      return spaced.prefix(1).uppercased() + spaced.dropFirst()
    }
  }
}

extension SealKind {
  /// What a report calls the kind.
  public var name: String {
    switch self {
    case .vds: "Visible digital seal"
    case .vdsNC: "VDS-NC"
    case .idb: "ICAO barcode"
    }
  }
}
