import Cryptography
import SmartCard

/// DG14: the security options of the chip (Doc 9303-10, 4.7.14).
public struct DataGroup14: Sendable, Equatable {
  public let securityInfos: SecurityInfos

  /// - Throws: `PassportError.fileMalformed`. Single entries that cannot be understood are no reason.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      securityInfos = try SecurityInfos(BERTLV.value(of: ElementaryFile.dg14.tag, in: file[...]))
    } catch CryptographyError.malformed(let part) {
      throw .fileMalformed(.dg14, part)
    } catch {
      throw .fileMalformed(.dg14, "not BER-TLV")
    }
  }
}
