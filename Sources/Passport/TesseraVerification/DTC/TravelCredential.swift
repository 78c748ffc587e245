public import TesseraCore
import TesseraCryptography
public import TesseraPassport

/// The virtual component of a digital travel credential, from a file (ICAO TR "Digital Travel Credentials",
/// `DTCContentInfo`).
///
/// It has files of a passport as the chip has them. That makes it a copy: it proves what the country signed, and neither
/// who has the passport nor that there still is one.
///
/// ```
/// DTCContentInfo ::= SEQUENCE {
///   version       INTEGER (1),
///   dtcData       DTCData,
///   dtcTBS        [0] EXPLICIT … OPTIONAL,
///   dtcSignerInfo [1] EXPLICIT … OPTIONAL }
/// DTCData ::= SEQUENCE {
///   dtcSOD          [0]  IMPLICIT OCTET STRING OPTIONAL,
///   dtcDG1          [1]  IMPLICIT OCTET STRING,
///   dtcDG2          [2]  IMPLICIT OCTET STRING,
///   …
///   dtcDG16         [16] IMPLICIT OCTET STRING OPTIONAL,
///   dtcSecurityInfo [22] EXPLICIT … OPTIONAL,
///   dtcOtherInfos   [23] EXPLICIT … OPTIONAL }
/// ```
package struct TravelCredential: Sendable {
  package let binding: CredentialBinding
  /// EF.SOD, if it is there, and the data groups, in the order of their numbers.
  package let files: [(file: ElementaryFile, bytes: [UInt8])]

  /// The size of the largest credential that is read, in bytes.
  package static let maximumSize = SavedDump.maximumSize

  /// Whether the bytes begin as a credential does, whether or not the rest is one: a sequence of a number and of a
  /// sequence that has EF.SOD or a data group first.
  package static func isCredential(_ bytes: [UInt8]) -> Bool {
    guard let content = rest(bytes[...], of: DERValue.Tag.sequence) else { return false }
    // A version of one octet.
    guard content.starts(with: [DERValue.Tag.integer, 1]) else { return false }
    guard let data = rest(content.dropFirst(3), of: DERValue.Tag.sequence) else { return false }
    return data.first.map { (DERValue.Tag.implicit(0)...DERValue.Tag.implicit(16)).contains($0) } ?? false
  }

  /// What follows the tag and the length.
  private static func rest(_ bytes: ArraySlice<UInt8>, of tag: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.first == tag, let length = bytes.dropFirst().first else { return nil }
    return bytes.dropFirst(length < 0x80 ? 2 : 2 + Int(length & 0x7F))
  }

  /// - Parameter bytes: the whole file, DER.
  /// - Throws: `TravelCredentialError`.
  package init(_ bytes: [UInt8]) throws(TravelCredentialError) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge }
    guard let content = try? DERValue(bytes[...], "DTCContentInfo"), content.tag == DERValue.Tag.sequence else {
      throw .malformed
    }
    guard content.encoded.endIndex == bytes.endIndex else { throw .trailingBytes }
    var parts = content.elements
    let version = try Self.next(&parts)
    guard version.tag == DERValue.Tag.integer else { throw .malformed }
    guard version.content.elementsEqual([1]) else { throw .unsupportedVersion }
    let data = try Self.next(&parts)
    guard data.tag == DERValue.Tag.sequence else { throw .malformed }
    let (files, hasSecurityInfo) = try Self.files(data)
    let hasOwnSignature = try Self.signatureParts(&parts)
    for required in [ElementaryFile.dg1, .dg2] where !files.contains(where: { $0.file == required }) {
      throw .missing(required)
    }
    self.files = files
    binding = CredentialBinding(
      hasSecurityObject: files.contains { $0.file == .sod }, hasOwnSignature: hasOwnSignature || hasSecurityInfo)
  }

  /// The files, and whether there is information on the credential's own signature.
  private static func files(
    _ data: DERValue
  ) throws(TravelCredentialError) -> ([(file: ElementaryFile, bytes: [UInt8])], Bool) {
    var files: [(file: ElementaryFile, bytes: [UInt8])] = []
    var hasSecurityInfo = false
    var last = -1
    var elements = data.elements
    while !elements.isEmpty {
      let element = try next(&elements)
      let number = Int(element.tag & 0x1F)
      let file = number == 0 ? ElementaryFile.sod : ElementaryFile.dataGroup(number)
      if let file {
        guard element.tag == DERValue.Tag.implicit(UInt8(number)) else { throw .malformed }
        // Two files of one kind: nobody knows which one was meant.
        guard number != last else { throw .repeated(file) }
        guard element.content.count <= SavedDump.maximumFileSize else { throw .tooLarge }
        files.append((file, Array(element.content)))
      } else {
        guard element.tag == DERValue.Tag.context(22) || element.tag == DERValue.Tag.context(23) else {
          throw .malformed
        }
        if number == 22 { hasSecurityInfo = true }
      }
      // The members of a sequence have an order.
      guard number > last else { throw .malformed }
      last = number
    }
    return (files, hasSecurityInfo)
  }

  /// Whether `dtcTBS` or `dtcSignerInfo` is there. Their structures are not published.
  private static func signatureParts(_ parts: inout DERValue.Elements) throws(TravelCredentialError) -> Bool {
    var hasAny = false
    for tag in [DERValue.Tag.context(0), DERValue.Tag.context(1)] where parts.nextTag == tag {
      _ = try next(&parts)
      hasAny = true
    }
    guard parts.isEmpty else { throw .malformed }
    return hasAny
  }

  private static func next(_ elements: inout DERValue.Elements) throws(TravelCredentialError) -> DERValue {
    do {
      return try elements.next("DTCContentInfo")
    } catch {
      throw .malformed
    }
  }
}

extension TravelCredential {
  /// The files as a dump, which the verdict judges.
  package var dump: DocumentDump {
    var dump = DocumentDump(files: files)
    dump.credential = binding
    if dump[.sod] == nil {
      dump.omissions = [.init(file: .sod, cause: .undelivered, reason: "The credential does not contain it.")]
    }
    return dump
  }

  /// What the report says of every credential.
  static func findings(_ dump: DocumentDump) -> [Report.Finding] {
    guard let binding = dump.credential else { return [] }
    let copy = "The data come from a digital travel credential in a file, which is a copy: nothing proves who has it, "
    let link =
      dump[.sod] == nil
      ? "and it has no EF.SOD that could be compared with that of a passport."
      : "and the passport itself was not seen. Read the passport to compare: its EF.SOD is the same, byte by byte."
    let signature =
      "The credential has a signature of its own. Its structures are not published, so it was not verified."
    return [Report.Finding(id: .credentialCopy, detail: copy + link)]
      + (binding.hasOwnSignature ? [Report.Finding(id: .credentialSignature, detail: signature)] : [])
  }
}

/// The reason why a file is no digital travel credential that can be judged (ICAO TR "Digital Travel Credentials").
public enum TravelCredentialError: Error, Sendable, Equatable {
  /// The file does not have the structure of a credential, or is not whole.
  case malformed
  /// The credential has another version than 1.
  case unsupportedVersion
  /// The credential contains a file twice.
  case repeated(ElementaryFile)
  /// The credential lacks a data group that each one has.
  case missing(ElementaryFile)
  /// Something follows the credential.
  case trailingBytes
  /// The credential, or a file in it, is larger than any of a passport.
  case tooLarge
}

extension TravelCredentialError: LocalizedFailure {
  public var failure: Failure {
    let another = "Ask the holder to send the credential again."
    return switch self {
    case .malformed:
      Failure(.usage, "The digital travel credential is not whole, or has another structure.", remedy: another)
    case .unsupportedVersion:
      Failure(
        .usage, "The digital travel credential has a version that is not supported.",
        remedy: "Install the newest version of Tessera.")
    case .repeated(let file):
      Failure(
        .usage, "The digital travel credential contains \(file.name) more than once.", remedy: another,
        details: ["file": file.name])
    case .missing(let file):
      Failure(
        .usage, "The digital travel credential does not contain \(file.name), which each one has.", remedy: another,
        details: ["file": file.name])
    case .trailingBytes:
      Failure(.usage, "The file has more in it than a digital travel credential.", remedy: another)
    case .tooLarge:
      Failure(
        .usage, "The digital travel credential is larger than any of a passport.",
        remedy: "Check that it is the right file.")
    }
  }
}
