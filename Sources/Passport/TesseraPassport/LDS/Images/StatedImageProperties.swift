/// The properties that a record states about an image, compared with the image's own header.
struct StatedImageProperties {
  let element: FileElement
  /// Empty if the record does not state it.
  var formats: Set<ImageFormat> = []
  /// Zero if the record does not state it.
  var width = 0
  var height = 0

  func findings(_ data: [UInt8]) -> [FileFinding] {
    let header: ImageHeader
    do {
      header = try ImageHeader(data)
    } catch {
      return [element.finding("image", .malformed("\(error)"))]
    }
    var findings: [FileFinding] = []
    if !formats.isEmpty, !formats.contains(header.format) {
      let stated = formats.map(\.rawValue).sorted().joined(separator: " or ")
      findings.append(element.finding("image data type", .imageFormat(stated: stated, found: header.format.rawValue)))
    }
    let stated = ImageSize(width: width, height: height)
    if width > 0, height > 0, stated != header.size {
      findings.append(element.finding("image size", .imageSize(stated: stated, found: header.size)))
    }
    return findings
  }
}
