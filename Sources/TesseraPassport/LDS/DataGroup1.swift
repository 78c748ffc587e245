import TesseraSmartCard

/// DG1: the machine readable zone (Doc 9303-10, 4.7.1).
public struct DataGroup1: Sendable, Equatable {
  public var zone: MachineReadableZone

  package init(zone: MachineReadableZone) { self.zone = zone }

  /// - Throws: `PassportError.fileMalformed`. Wrong check digits do not throw; the verification reports them.
  public init(_ file: [UInt8]) throws(PassportError) {
    let characters: ArraySlice<UInt8>
    do {
      characters = try BERTLV.value(of: 0x5F1F, in: BERTLV.value(of: ElementaryFile.dg1.tag, in: file[...]))
    } catch {
      throw .fileMalformed(.dg1, "not BER-TLV")
    }
    guard let length = [90: 30, 88: 44, 72: 36][characters.count] else {
      throw .fileMalformed(.dg1, "\(characters.count) characters of MRZ")
    }
    let lines = stride(from: characters.startIndex, to: characters.endIndex, by: length).map {
      String(decoding: characters[$0..<$0 + length], as: UTF8.self)
    }
    do {
      zone = try MachineReadableZone(printed: lines)
    } catch {
      throw .fileMalformed(.dg1, "its MRZ has no valid structure")
    }
  }

  package var encoded: [UInt8] {
    BERTLV.encode(ElementaryFile.dg1.tag, BERTLV.encode(0x5F1F, Array(zone.lines.joined().utf8)))
  }
}
