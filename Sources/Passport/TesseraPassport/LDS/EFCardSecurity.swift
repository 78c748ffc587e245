import TesseraCryptography
import TesseraSmartCard

/// EF.CardSecurity: `SecurityInfos` signed like EF.SOD (Doc 9303-11, 9.2.11).
public struct EFCardSecurity: Sendable {
  /// `id-SecurityObject`.
  package static let objectIdentifier = "0.4.0.127.0.7.3.2.1"

  package let signedData: SignedData
  public let securityInfos: SecurityInfos

  /// - Throws: `PassportError.fileMalformed` naming the part.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      let length = min(file.count, try BERTLV.header(of: file[...]).totalLength)
      signedData = try SignedData(file.prefix(length))
      guard signedData.contentType == Self.objectIdentifier else {
        throw CryptographyError.malformed("its content is not SecurityInfos")
      }
      securityInfos = try SecurityInfos(signedData.content)
    } catch CryptographyError.malformed(let part) {
      throw .fileMalformed(.cardSecurity, part)
    } catch CryptographyError.unsupported(let algorithm) {
      throw .fileMalformed(.cardSecurity, "unsupported \(algorithm)")
    } catch {
      throw .fileMalformed(.cardSecurity, "not BER-TLV")
    }
  }

  /// The first signature problem; nil if all signatures are valid.
  public var signatureProblem: SignatureProblem? {
    if signedData.signers.isEmpty { return .signatureWrong }
    for signer in signedData.signers {
      if case .failure(let problem) = signedData.verify(signer) { return problem }
    }
    return nil
  }
}
