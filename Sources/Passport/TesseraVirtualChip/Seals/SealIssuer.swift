internal import CTesseraOpenSSL
import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes seals of the test country. It shares no code with the module that reads seals, so that an error in one of them
/// is visible in a test.
///
/// A seal names the certificate of its signer by a number that is always the same, or contains it. The keys are always
/// the same. So a seal is right by the certificates of each run in the year after it was made.
public struct SealIssuer: Sendable {
  /// What the issuing country publishes.
  public var country: TestCountry { document.country }
  /// The passport of the holder.
  let document: SpecimenDocument
  private let now: Date

  /// - Throws: `CryptographyError` if OpenSSL fails.
  public init() throws {
    document = try SpecimenDocument()
    now = Date()
  }

  /// - Throws: `CryptographyError` if OpenSSL fails.
  public func seal(_ kind: SpecimenSealKind) throws -> SpecimenSeal { SpecimenSeal(kind, try kind.make(self)) }

  // MARK: - Days

  /// The day on which the seals were made: yesterday, which is past in every time zone.
  var day: Day { Day(now.addingTimeInterval(-86_400)) }

  /// A day of the future.
  func day(after days: Int) -> Day { Day(now.addingTimeInterval(Double(days) * 86_400)) }

  /// A day in UTC.
  struct Day {
    /// `YYYY-MM-DD`.
    let text: String

    init(_ date: Date) { text = String(date.ISO8601Format().prefix(10)) }

    /// The number with the decimal digits MMDDYYYY, big-endian (Doc 9303-13, date encoding).
    var bytes: [UInt8] {
      let parts = text.split(separator: "-").compactMap { Int($0) }
      guard parts.count == 3 else { return [0, 0, 0] }
      let number = parts[1] * 1_000_000 + parts[2] * 10_000 + parts[0]
      return [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
  }

  // MARK: - Holder

  /// The zone of a document of the holder.
  func zone(
    _ documentCode: String, _ number: String, _ format: MachineReadableZone.Format
  ) throws -> MachineReadableZone {
    var content = SpecimenDocument.content
    content.documentCode = documentCode
    content.documentNumber = number
    return try MachineReadableZone(content, format: format)
  }
}

/// The specimen of a digital travel credential (ICAO TR "Digital Travel Credentials", `DTCContentInfo`).
extension SealIssuer {
  /// A credential of type 1: the data groups and EF.SOD of the holder's passport, as octet strings with the tags [0] to
  /// [16]. It has no signature of its own.
  func travelCredential() throws -> SpecimenSeal.Content {
    let files =
      [(0, document.files[.sod])]
      + (1...16).map { number in
        (number, ElementaryFile.dataGroup(number).flatMap { document.files[$0] })
      }
    let data = files.flatMap { number, bytes in
      bytes.map { BERTLV.encode(0x80 | UInt32(number), $0) } ?? []
    }
    return SpecimenSeal.Content(bytes: DERBytes.sequence(DERBytes.integer(1), DERBytes.sequence(data)))
  }
}

extension Issuer {
  /// An ECDSA signature as the numbers `r` and `s`, both as long as the order of the group.
  func plainSignature(of message: [UInt8]) throws -> [UInt8] {
    let encoded = try key.withSigningContext(algorithm) { context in
      var length = 0
      guard EVP_DigestSign(context, nil, &length, message, message.count) == 1 else {
        throw CryptographyError.openSSL("EVP_DigestSign")
      }
      var signature = [UInt8](repeating: 0, count: length)
      guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
        throw CryptographyError.openSSL("EVP_DigestSign")
      }
      return Array(signature.prefix(length))
    }
    return try ECDSASignature.plain(der: encoded, halfLength: Int(EVP_PKEY_get_bits(key.pointer) + 7) / 8)
  }
}
