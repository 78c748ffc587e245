import SmartCard

/// DG2: the face, as biometric information templates of ISO/IEC 7816-11 (Doc 9303-10, 4.7.2).
public struct DataGroup2: Sendable, Equatable {
  public var faces: [FacialImage]

  public init(faces: [FacialImage]) { self.faces = faces }

  /// The picture of the holder.
  public var portrait: FacialImage? { faces.first }

  /// - Throws: `PassportError.fileMalformed`.
  public init(_ file: [UInt8]) throws(PassportError) {
    let objects: [BERTLV]
    do {
      let group = try BERTLV.value(of: 0x7F61, in: BERTLV.value(of: ElementaryFile.dg2.tag, in: file[...]))
      objects = try BERTLV.sequence(group)
    } catch {
      throw .fileMalformed(.dg2, "not a biometric information group template")
    }
    var faces: [FacialImage] = []
    for template in objects where template.tag == 0x7F60 {
      guard let parts = try? BERTLV.sequence(template.value) else {
        throw .fileMalformed(.dg2, "biometric information template")
      }
      // The data block is primitive (5F2E); some issuers use the constructed tag for the same content.
      guard let block = parts.first(where: { $0.tag == 0x5F2E || $0.tag == 0x7F2E }) else { continue }
      faces += try FacialImage.images(ofRecord: block.value)
    }
    guard !faces.isEmpty else { throw .fileMalformed(.dg2, "no facial image") }
    self.faces = faces
  }

  /// One template with all faces in one ISO/IEC 19794-5 record.
  public var encoded: [UInt8] {
    // CBEFF patron header of Doc 9303-10, 4.7.2.1: type facial features, no subtype, format owner ISO/IEC JTC1
    // SC37 (0101), format type facial image (0008).
    let header =
      BERTLV.encode(0x80, [0x01, 0x01]) + BERTLV.encode(0x81, [0x02]) + BERTLV.encode(0x87, [0x01, 0x01])
      + BERTLV.encode(0x88, [0x00, 0x08])
    let template = BERTLV.encode(0xA1, header) + BERTLV.encode(0x5F2E, FacialImage.record(of: faces))
    let group = BERTLV.encode(0x02, [0x01]) + BERTLV.encode(0x7F60, template)
    return BERTLV.encode(ElementaryFile.dg2.tag, BERTLV.encode(0x7F61, group))
  }
}
