import TesseraPassport

/// A visible digital seal, read from the bytes of a barcode (Doc 9303-13; BSI TR-03137-1). Nothing is verified yet.
public struct VisibleDigitalSeal: Sendable, Equatable {
  /// The header, before the elements.
  public let header: Header
  /// In the order of the seal.
  package let features: [VDSFeature]
  /// r and s, one behind the other, as they came.
  package let signature: [UInt8]
  /// All bytes before the signature.
  package let signedBytes: [UInt8]
  /// How the seal deviates from its version, a sentence; nil if it does not.
  package let deviation: String?

  /// No symbol holds more than 3 kB.
  private static let maximumSize = 8_192

  private static let magic: UInt8 = 0xDC
  private static let signatureTag: UInt8 = 0xFF

  /// - Parameter bytes: of the barcode, exactly as they are in it.
  /// - Throws: `VDSError`.
  public init(_ bytes: [UInt8]) throws(VDSError) {
    guard let first = try Self.readings(of: bytes).first else { throw .malformed(.signature) }
    self = first
  }

  /// All ways to read a seal, that of its version first. Some issuers write the header of version 3, or lengths of one byte,
  /// into seals of version 4. Only the signature tells: a wrong reading cannot have a right one.
  ///
  /// - Throws: `VDSError` of the first way if there is none.
  package static func readings(of bytes: [UInt8]) throws(VDSError) -> [VisibleDigitalSeal] {
    guard bytes.first == magic, bytes.count >= Header.minimumSize else { throw .notASeal }
    guard bytes.count <= maximumSize else { throw .malformed(.size) }
    var problem: VDSError?
    var readings: [VisibleDigitalSeal] = []
    for layout in try layouts(ofVersionByte: bytes[1]) {
      do {
        let seal = try VisibleDigitalSeal(bytes, layout)
        if !readings.contains(where: { $0.header == seal.header && $0.features == seal.features }) {
          readings.append(seal)
        }
      } catch {
        problem = problem ?? error
      }
    }
    if readings.isEmpty { throw problem ?? .malformed(.signature) }
    return readings
  }

  private struct Layout {
    let header: HeaderLayout
    let lengths: VDSFeature.LengthRule
    var deviation: String?
  }

  private static func layouts(ofVersionByte version: UInt8) throws(VDSError) -> [Layout] {
    switch version {
    case 0, 1:
      return [
        Layout(
          header: .version3, lengths: .plain,
          deviation: "The seal states version \(version + 1), which is in no public standard, and is read as version 3."
        )
      ]
    case 2: return [Layout(header: .version3, lengths: .plain)]
    case 3:
      return [
        Layout(header: .version4, lengths: .der),
        Layout(
          header: .version3, lengths: .der, deviation: "The seal states version 4, and has the header of version 3."),
        Layout(
          header: .version3, lengths: .plain, deviation: "The seal states version 4, and is built as version 3 is."),
        Layout(
          header: .version4, lengths: .plain,
          deviation: "The seal states version 4, and has lengths of one byte, as version 3 has."),
      ]
    default: throw .malformed(.version)
    }
  }

  private init(_ bytes: [UInt8], _ layout: Layout) throws(VDSError) {
    var rest = bytes[...]
    header = try Header(&rest, layout.header)
    // A header of version 4 read as one of version 3 rarely has a number there.
    if header.versionByte == 3, layout.header == .version3, !header.reference.allSatisfy(\.isHexDigit) {
      throw .malformed(.signer)
    }
    var features: [VDSFeature] = []
    var end = rest.startIndex
    while rest.first != Self.signatureTag {
      guard !rest.isEmpty else { throw .malformed(.signature) }
      guard let feature = VDSFeature.next(&rest, layout.lengths) else { throw .malformed(.feature) }
      features.append(feature)
      end = rest.startIndex
    }
    guard let signature = VDSFeature.next(&rest, layout.lengths) else { throw .malformed(.signature) }
    guard rest.isEmpty else { throw .malformed(.end) }
    self.features = features
    self.signature = signature.value
    signedBytes = Array(bytes[..<end])
    deviation = layout.deviation
  }

  /// What the judge verifies.
  package var evidence: SealEvidence {
    SealEvidence(
      kind: .vds, issuer: header.country, signer: header.signer, signedBytes: signedBytes, signature: signature)
  }
}
