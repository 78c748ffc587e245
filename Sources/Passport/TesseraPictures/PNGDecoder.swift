import CTesseraPNG
import Glibc
import TesseraPassport

/// Decodes PNG with libpng.
enum PNGDecoder {
  /// - Parameters:
  ///   - size: the size in the header, already checked; libpng must report the same.
  ///   - pixels: `layout.bytes` a pixel of `size`.
  /// - Throws: `PictureError`.
  static func decode(
    _ data: [UInt8], _ size: ImageSize, _ layout: PixelLayout, into pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    guard png_image_begin_read_from_memory(&image, data, data.count) != 0, Int(image.width) == size.width,
      Int(image.height) == size.height
    else { throw .undecodable(.png) }
    let hasOpacity = image.format & UInt32(PNG_FORMAT_FLAG_ALPHA) != 0
    let isGrey = image.format & UInt32(PNG_FORMAT_FLAG_COLOR) == 0
    // Otherwise 16 bits without gAMA would be linear light, and too bright.
    image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
    if !hasOpacity, isGrey || layout == .rgb {
      let format = layout == .rgb ? UInt32(PNG_FORMAT_RGB) : UInt32(PNG_FORMAT_GRAY)
      return try finish(&image, format, size.width * layout.bytes, pixels)
    }
    // libpng would weigh colours and opacity in linear light, unlike the other decoders here and browsers.
    let stored = try WipedMemory<UInt8>(repeating: 0, count: size.width * size.height * 4) {
      stored throws(PictureError) in
      try finish(&image, UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA), size.width * 4, stored)
    }
    stored.withElements { stored in
      for index in 0..<size.width * size.height {
        let opacity = Int(stored[index * 4 + 3])
        // Transparent pixels are paper.
        func mixed(_ channel: Int) -> Int {
          (Int(stored[index * 4 + channel]) * opacity + 255 * (255 - opacity) + 127) / 255
        }
        layout.write((mixed(0), mixed(1), mixed(2)), index, to: pixels)
      }
    }
  }

  private static func finish(
    _ image: inout png_image, _ format: UInt32, _ stride: Int, _ pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) {
    image.format = format
    guard png_image_finish_read(&image, nil, pixels.baseAddress, Int32(stride), nil) != 0 else {
      throw .undecodable(.png)
    }
  }
}

/// Memory that is overwritten before it is freed: a camera's frame shows a document.
///
/// Inlinable: the code of the modules that use it is then made for their type of elements, which is many times as fast.
@usableFromInline
package final class WipedMemory<Element: BitwiseCopyable & Sendable>: Sendable {
  // Written during initialisation only, so that threads may share it.
  @usableFromInline nonisolated(unsafe) let memory: UnsafeMutableBufferPointer<Element>

  /// - Parameters:
  ///   - count: the number of elements.
  ///   - value: the value of each before `initialize` writes it.
  /// - Throws: the error of `initialize`.
  @inlinable
  package init<Failure: Error>(
    repeating value: Element, count: Int,
    initializingWith initialize: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: value)
    try initialize(memory)
  }

  deinit {
    let bytes = UnsafeMutableRawBufferPointer(memory)
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    memory.deallocate()
  }

  @inlinable package var count: Int { memory.count }

  @inlinable
  package subscript(index: Int) -> Element {
    precondition(memory.indices.contains(index))
    return memory[index]
  }

  /// The elements, valid during the call only.
  @inlinable
  package func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(memory))
  }
}
