import TesseraPassport

/// How the stored pixels lie, in the values of EXIF's orientation (CIPA DC-008, 4.6.5). It is read here because
/// libjpeg-turbo and libpng do not read it, and a library of EXIF would parse all the rest too.
enum ImageOrientation: Int, CaseIterable, Sendable {
  case upright = 1
  case mirrored = 2
  case turnedHalf = 3
  case upsideDown = 4
  case transposed = 5
  case turnedLeft = 6
  case transverse = 7
  case turnedRight = 8

  private var swapsSides: Bool { rawValue >= 5 }

  func upright(_ size: ImageSize) -> ImageSize {
    swapsSides ? ImageSize(width: size.height, height: size.width) : size
  }

  /// - Parameters:
  ///   - size: that of `source`.
  ///   - target: as large as `source`; receives the upright pixels.
  func turn(
    _ source: UnsafeBufferPointer<UInt8>, _ size: ImageSize, _ layout: PixelLayout,
    into target: UnsafeMutableBufferPointer<UInt8>
  ) {
    let bytes = layout.bytes
    let (right, bottom) = (size.width - 1, size.height - 1)
    let upright = upright(size)
    // Of a pixel in the upright picture, the place in the source: a start, a step per column, and a step per row.
    let start: Int
    switch self {
    case .upright, .transposed: start = 0
    case .mirrored, .turnedRight: start = right
    case .turnedHalf, .transverse: start = bottom * size.width + right
    case .upsideDown, .turnedLeft: start = bottom * size.width
    }
    let across = [.upright, .upsideDown, .transposed, .turnedLeft].contains(self) ? 1 : -1
    let down = [.upright, .mirrored, .transposed, .turnedRight].contains(self) ? size.width : -size.width
    let (columnStep, rowStep) = swapsSides ? (down, across) : (across, down)
    var index = 0
    for row in 0..<upright.height {
      var place = (start + row * rowStep) * bytes
      for _ in 0..<upright.width {
        for byte in 0..<bytes { target[index + byte] = source[place + byte] }
        index += bytes
        place += columnStep * bytes
      }
    }
  }
}

extension ImageOrientation {
  /// Of the TIFF structure of EXIF; upright if it states nothing valid.
  init(exif: ArraySlice<UInt8>?) { self = exif.flatMap { try? Self.stated($0) } ?? .upright }

  /// Of the chunk `eXIf` (PNG, third edition, 11.3.4.5).
  init(png: [UInt8]) {
    var bytes = ImageBytes(png.dropFirst(8))
    self = .upright
    while let length = try? bytes.number(4), let kind = try? bytes.take(4), let content = try? bytes.take(length),
      (try? bytes.take(4)) != nil
    {
      guard kind.elementsEqual("eXIf".utf8) else { continue }
      self = ImageOrientation(exif: content)
      return
    }
  }

  /// The orientation in the first directory (TIFF 6.0, section 2): one number of 16 bits. nil if there is none.
  private static func stated(_ data: ArraySlice<UInt8>) throws(ImageHeader.Problem) -> ImageOrientation? {
    let isLittleEndian = data.starts(with: [0x49, 0x49])
    guard isLittleEndian || data.starts(with: [0x4D, 0x4D]) else { return nil }
    func number(_ bytes: inout ImageBytes, _ count: Int) throws(ImageHeader.Problem) -> Int {
      let number = try bytes.take(count)
      return (isLittleEndian ? number.reversed() : Array(number)).reduce(0) { $0 << 8 | Int($1) }
    }
    var head = ImageBytes(data.dropFirst(2))
    guard try number(&head, 2) == 42 else { return nil }
    let offset = try number(&head, 4)
    var directory = ImageBytes(data.dropFirst(offset))
    for _ in 0..<(try number(&directory, 2)) {
      let tag = try number(&directory, 2)
      let type = try number(&directory, 2)
      let count = try number(&directory, 4)
      let value = try number(&directory, 2)
      _ = try directory.take(2)
      guard tag == 0x0112 else { continue }
      return type == 3 && count == 1 ? ImageOrientation(rawValue: value) : nil
    }
    return nil
  }
}
