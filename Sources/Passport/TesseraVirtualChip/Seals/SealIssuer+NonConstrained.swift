import TesseraCryptography

/// The message of a VDS-NC (ICAO TR VDS-NC), and its type.
struct NonConstrainedMessage {
  /// The member `t` of the header.
  let type: String
  let content: CanonicalText

  /// A letter beyond ASCII stands as it is, in UTF-8.
  static let vaccination = NonConstrainedMessage(
    type: "icao.vacc",
    content: [
      "uvci": "TSU032870",
      "pid": ["n": "SPECIMEN  TESSA MARIA", "dob": "1990-02-14", "sex": "F", "i": "TS0264718"],
      "ve": [
        [
          "des": "XM68M6", "nam": "Sérum d'Utopia", "dis": "RA01",
          "vd": [
            ["dvc": "2025-03-03", "seq": 1, "ctr": "UTO", "adm": "Hôpital d'Utopia", "lot": "TS-1"],
            ["dvc": "2025-04-14", "seq": 2, "ctr": "UTO", "adm": "Hôpital d'Utopia", "lot": "TS-2"],
          ],
        ]
      ],
    ])
}

/// The specimens of VDS-NC.
extension SealIssuer {
  /// A digital travel authorization (ICAO TR DTA), from yesterday for a year. No public text states its type.
  func travelAuthorization() -> NonConstrainedMessage {
    NonConstrainedMessage(
      type: "icao.dta",
      content: [
        "dtan": "DTA0264718",
        "pi": ["n": "SPECIMEN  TESSA MARIA", "dob": "1990-02-14", "sex": "F", "nl": "UTO", "pn": "TS0264718"],
        "dta": [
          "poi": "Utopia", "vf": .text(day.text), "vu": .text(day(after: 364).text), "dos": "000300", "noe": "M",
          "tcc": "Visitor", "ai": "Tessera specimen",
        ],
      ])
  }

  func sign(_ message: NonConstrainedMessage) throws -> SpecimenSeal.Content {
    let header: CanonicalText = [
      "t": .text(message.type), "v": 1, "is": .text(CountryAuthority.Identity.utopia.threeLetters),
    ]
    let data: CanonicalText = ["hdr": header, "msg": message.content]
    let signer = country.nonConstrainedSigner
    let signed = Array(data.form.utf8)
    let signature = try signer.plainSignature(of: signed)
    let seal: CanonicalText = [
      "data": data,
      "sig": ["alg": "ES256", "cer": Self.text(signer.certificate.der), "sigvl": Self.text(signature)],
    ]
    return SpecimenSeal.Content(bytes: Array(seal.form.utf8), signedBytes: signed, signature: signature)
  }

  private static func text(_ bytes: [UInt8]) -> CanonicalText {
    .text(String(decoding: Base64URL.encode(bytes), as: UTF8.self))
  }
}

/// A JSON text in its canonical form (RFC 8785), for the numbers that seals have: whole ones.
indirect enum CanonicalText {
  case object([String: CanonicalText])
  case array([CanonicalText])
  case text(String)
  case number(Int)

  var form: String {
    switch self {
    case .object(let members):
      let sorted = members.sorted { Array($0.key.utf16).lexicographicallyPrecedes(Array($1.key.utf16)) }
      return "{" + sorted.map { Self.quoted($0.key) + ":" + $0.value.form }.joined(separator: ",") + "}"
    case .array(let elements): return "[" + elements.map(\.form).joined(separator: ",") + "]"
    case .text(let text): return Self.quoted(text)
    case .number(let number): return String(number)
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{8}": quoted += "\\b"
      case "\t": quoted += "\\t"
      case "\n": quoted += "\\n"
      case "\u{C}": quoted += "\\f"
      case "\r": quoted += "\\r"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension CanonicalText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByArrayLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(dictionaryLiteral elements: (String, CanonicalText)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
  init(arrayLiteral elements: CanonicalText...) { self = .array(elements) }
}
