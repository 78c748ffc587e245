import TesseraCryptography
import TesseraSmartCard

/// DG14: the security options of the chip (Doc 9303-10, 4.7.14).
public struct DataGroup14: Sendable, Equatable {
  public var securityInfos: SecurityInfos

  package init(securityInfos: SecurityInfos) { self.securityInfos = securityInfos }

  /// - Throws: `PassportError.fileMalformed`. A malformed entry does not throw.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      securityInfos = try SecurityInfos(BERTLV.value(of: ElementaryFile.dg14.tag, in: file[...]))
    } catch CryptographyError.malformed(let part) {
      throw .fileMalformed(.dg14, part)
    } catch {
      throw .fileMalformed(.dg14, "not BER-TLV")
    }
  }

  package var encoded: [UInt8] { BERTLV.encode(ElementaryFile.dg14.tag, securityInfos.encoded) }
}

extension LogicalDataStructure {
  public var dataGroup14: Result<DataGroup14, PassportError>? { dataGroup(14) }
}
