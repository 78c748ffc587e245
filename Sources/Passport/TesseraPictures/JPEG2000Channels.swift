import CTesseraOpenJPEG
import TesseraPassport

/// The decoded components, which may have a lower resolution than the image, any bit depth, or be indices of a palette.
struct JPEG2000Channels {
  private struct Plane {
    let values: UnsafeBufferPointer<OPJ_INT32>
    let width: Int
    let height: Int
    /// The lowest value.
    let minimum: Int
    /// From the value above `minimum` to 0 to 255; not empty.
    let levels: [UInt8]

    init?(_ component: opj_image_comp_t, _ column: JPEG2000Colours.Column?) {
      width = Int(component.w)
      height = Int(component.h)
      let bits = Int(component.prec)
      guard let data = component.data, width > 0, height > 0, (1...16).contains(bits) else { return nil }
      values = UnsafeBufferPointer(start: data, count: width * height)
      if let column {
        minimum = 0
        levels = column.entries.map { Self.level($0 ^ (column.isSigned ? 1 << (column.bits - 1) : 0), column.bits) }
      } else {
        minimum = component.sgnd != 0 ? -(1 << (bits - 1)) : 0
        levels = (0..<(1 << bits)).map { Self.level($0, bits) }
      }
      guard !levels.isEmpty else { return nil }
    }

    private static func level(_ value: Int, _ bits: Int) -> UInt8 {
      UInt8(clamping: bits == 8 ? value : value * 255 / ((1 << bits) - 1))
    }

    /// 0 to 255.
    func value(_ column: Int, _ row: Int, of size: ImageSize) -> Int {
      let index = min(row * height / size.height, height - 1) * width + min(column * width / size.width, width - 1)
      return Int(levels[min(max(Int(values[index]) - minimum, 0), levels.count - 1)])
    }
  }

  private let colours: [Plane]
  private let opacity: Plane?
  private let isPremultiplied: Bool
  private let space: JPEG2000Colours.Space
  private let size: ImageSize

  /// The planes are valid as long as the image exists.
  ///
  /// - Returns: nil if a channel was not decoded.
  init?(_ image: opj_image_t, _ size: ImageSize, _ roles: JPEG2000Colours.Roles, _ space: JPEG2000Colours.Space) {
    guard let base = image.comps else { return nil }
    let components = UnsafeBufferPointer(start: base, count: Int(image.numcomps))
    func plane(_ channel: JPEG2000Colours.Channel) -> Plane? {
      components.indices.contains(channel.component) ? Plane(components[channel.component], channel.column) : nil
    }
    colours = roles.colours.compactMap(plane)
    opacity = roles.opacity.flatMap(plane)
    guard colours.count == roles.colours.count, [1, 3, 4].contains(colours.count) else { return nil }
    isPremultiplied = roles.isPremultiplied
    self.space = space
    self.size = size
  }

  func write(_ layout: PixelLayout, to pixels: UnsafeMutableBufferPointer<UInt8>) {
    var index = 0
    for row in 0..<size.height {
      for column in 0..<size.width {
        var colour = colour(column, row)
        if let opacity {
          // Transparent pixels are paper.
          let weight = opacity.value(column, row, of: size)
          func mixed(_ value: Int) -> Int { (isPremultiplied ? value : value * weight / 255) + 255 - weight }
          colour = (mixed(colour.0), mixed(colour.1), mixed(colour.2))
        }
        layout.write(colour, index, to: pixels)
        index += 1
      }
    }
  }

  private func colour(_ column: Int, _ row: Int) -> (Int, Int, Int) {
    let first = colours[0].value(column, row, of: size)
    guard colours.count >= 3 else { return (first, first, first) }
    let (second, third) = (colours[1].value(column, row, of: size), colours[2].value(column, row, of: size))
    if colours.count == 4 {
      // Cyan, magenta, yellow and black: 0 is none.
      let light = 255 - colours[3].value(column, row, of: size)
      return ((255 - first) * light / 255, (255 - second) * light / 255, (255 - third) * light / 255)
    }
    return space == .sYCC ? Self.rgb(first, second - 128, third - 128) : (first, second, third)
  }

  /// IEC 61966-2-1, annex G: the coefficients of ITU-R BT.601.
  private static func rgb(_ luminance: Int, _ blue: Int, _ red: Int) -> (Int, Int, Int) {
    func clamped(_ value: Int) -> Int { min(max(value, 0), 255) }
    return (
      clamped(luminance + red * 1402 / 1000), clamped(luminance - blue * 344 / 1000 - red * 714 / 1000),
      clamped(luminance + blue * 1772 / 1000)
    )
  }
}
