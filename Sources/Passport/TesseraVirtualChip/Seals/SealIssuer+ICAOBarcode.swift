import TesseraCryptography

/// The specimens of ICAO's datastructure for barcodes (IDB; ICAO TR "Datastructure for Barcode").
extension SealIssuer {
  enum BarcodeDocument {
    case visa
    case emergencyTravelDocument
  }

  /// A signed barcode with the certificate of its signer.
  func icaoBarcode(_ document: BarcodeDocument, isCompressed: Bool) throws -> SpecimenSeal.Content {
    let signer = country.barcodeSigner
    let message =
      switch document {
      case .visa: Self.element(0x01, try visaElements(.mrvA).flatMap { Self.element($0.tag, $0.value) })
      case .emergencyTravelDocument: try Self.emergencyTravelDocument(zoneElement("PU", "TE0264718"))
      }
    var signed = try C40Writer.bytes(of: CountryAuthority.Identity.utopia.threeLetters)
    // ECDSA with SHA-256; the end of the fingerprint; the day with a mask, as the documents have it that are issued.
    signed += [1] + (try HashAlgorithm.sha1.digest(of: signer.certificate.der)).suffix(5) + [0] + day.bytes
    signed += Self.element(0x61, message)
    let signature = try signer.plainSignature(of: signed)
    let payload = signed + Self.element(0x7E, signer.certificate.der) + Self.element(0x7F, signature)
    // "A" and 1 for a signature, 2 for compression.
    let text =
      isCompressed ? "RDB1D" + Base32Writer.text(ZlibWriter.stream(payload)) : "RDB1B" + Base32Writer.text(payload)
    return SpecimenSeal.Content(bytes: Array(text.utf8), signedBytes: signed, signature: signature)
  }

  private static func emergencyTravelDocument(_ zone: (tag: UInt8, value: [UInt8])) -> [UInt8] {
    element(0x02, element(zone.tag, zone.value))
  }

  private static func element(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
    [tag] + DERBytes.length(value.count) + value
  }
}

/// Base32 (RFC 4648, 6) without padding.
enum Base32Writer {
  static func text(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var digits: [UInt8] = []
    var (bits, count) = (0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 5 {
        count -= 5
        digits.append(alphabet[bits >> count & 31])
      }
      bits &= 31
    }
    if count > 0 { digits.append(alphabet[bits << (5 - count) & 31]) }
    return String(decoding: digits, as: UTF8.self)
  }
}
