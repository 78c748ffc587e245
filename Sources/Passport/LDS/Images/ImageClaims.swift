/// What a record says about an image, held against what the image says of itself.
struct ImageClaims {
  let element: FileElement
  /// Empty where the record leaves it open.
  var formats: Set<ImageFormat> = []
  /// Zero where the record leaves it open.
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
