import Cryptography
import SmartCard

/// DG15: the public key of Active Authentication (Doc 9303-11, 6.1.5).
public struct DataGroup15: Sendable, Equatable {
  public var publicKey: PublicKey

  public init(publicKey: PublicKey) { self.publicKey = publicKey }

  /// - Throws: `PassportError.fileMalformed`.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      publicKey = try PublicKey(subjectPublicKeyInfo: Array(BERTLV.value(of: ElementaryFile.dg15.tag, in: file[...])))
    } catch let error as CryptographyError {
      throw .fileMalformed(.dg15, error.failure.cause)
    } catch {
      throw .fileMalformed(.dg15, "not BER-TLV")
    }
  }

  public var encoded: [UInt8] { BERTLV.encode(ElementaryFile.dg15.tag, publicKey.subjectPublicKeyInfo) }

  /// Bytes of a signature of this key; 0 for a key of an unknown kind.
  var signatureLength: Int {
    switch publicKey.kind {
    case .rsa(let bits, _): (bits + 7) / 8
    // Two numbers, and what DER puts around them.
    case .ellipticCurve(let bits, _, _, _): (bits + 7) / 8 * 2 + 16
    case .other: 0
    }
  }
}
