import TesseraCryptography
import TesseraSmartCard

/// DG15: the public key of Active Authentication (Doc 9303-11, 6.1.5).
public struct DataGroup15: Sendable, Equatable {
  public var publicKey: PublicKey

  package init(publicKey: PublicKey) { self.publicKey = publicKey }

  /// - Throws: `PassportError.fileMalformed`.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      let content = try BERTLV.value(of: ElementaryFile.dg15.tag, in: file[...])
      // Octets behind the key are ignored. Of indefinite length, the parser of the key finds its end.
      publicKey = try PublicKey(subjectPublicKeyInfo: Array((try? BERTLV.object(in: content)) ?? content))
    } catch let error as CryptographyError {
      throw .fileMalformed(.dg15, error.failure.cause)
    } catch {
      throw .fileMalformed(.dg15, "not BER-TLV")
    }
  }

  /// Length of this key's signatures in the form of Doc 9303-11, in bytes; 0 for an unknown kind of key.
  var plainSignatureLength: Int {
    if case .ellipticCurve(let bits, _, _, _) = publicKey.kind { (bits + 7) / 8 * 2 } else { signatureLength }
  }

  package var encoded: [UInt8] { BERTLV.encode(ElementaryFile.dg15.tag, publicKey.subjectPublicKeyInfo) }

  /// Length of this key's signatures in bytes; 0 for an unknown kind of key.
  var signatureLength: Int {
    switch publicKey.kind {
    case .rsa(let bits, _): (bits + 7) / 8
    // Two numbers and their DER encoding.
    case .ellipticCurve(let bits, _, _, _): (bits + 7) / 8 * 2 + 16
    case .other: 0
    }
  }
}

extension LogicalDataStructure {
  public var dataGroup15: Result<DataGroup15, PassportError>? { dataGroup(15) }
}
