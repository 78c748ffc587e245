import TesseraSmartCard

/// DG1: the machine readable zone (Doc 9303-10, 4.7.1).
///
/// Some documents have a text there that is no zone of Doc 9303, for example one line, or one with a character that zones do
/// not have. It is signed as it is.
public struct DataGroup1: Sendable, Equatable {
  /// The text, without the lines of a zone. Octets that are no ASCII are read as Latin-1.
  public let text: String
  /// The zone, with all that is unusual in it; the error if no format has its number of characters.
  public let zone: Result<MachineReadableZone, MRZError>

  package init(zone: MachineReadableZone) {
    text = zone.lines.joined()
    self.zone = .success(zone)
  }

  /// - Throws: `PassportError.fileMalformed` if the file is not BER-TLV. What is wrong in the zone does not throw; the
  ///   verification reports it.
  public init(_ file: [UInt8]) throws(PassportError) {
    let characters: ArraySlice<UInt8>
    do {
      characters = try BERTLV.value(of: 0x5F1F, in: BERTLV.value(of: ElementaryFile.dg1.tag, in: file[...]))
    } catch {
      throw .fileMalformed(.dg1, "not BER-TLV")
    }
    text = String(String.UnicodeScalarView(characters.map { Unicode.Scalar($0) }))
    // Some chips have the line ends, too.
    let printed = Array(characters.filter { $0 != 0x0A && $0 != 0x0D })
    guard let length = [90: 30, 88: 44, 72: 36][printed.count], printed.allSatisfy({ (0x20..<0x7F).contains($0) })
    else {
      zone = .failure(.wrongLength(lines: [printed.count]))
      return
    }
    let lines = stride(from: 0, to: printed.count, by: length).map {
      String(decoding: printed[$0..<$0 + length], as: UTF8.self)
    }
    zone = Result { () throws(MRZError) in try MachineReadableZone(stored: lines) }
  }

  package var encoded: [UInt8] {
    BERTLV.encode(ElementaryFile.dg1.tag, BERTLV.encode(0x5F1F, Array(text.unicodeScalars.map { UInt8($0.value) })))
  }
}

extension LogicalDataStructure {
  public var dataGroup1: Result<DataGroup1, PassportError>? { dataGroup(1) }
}
