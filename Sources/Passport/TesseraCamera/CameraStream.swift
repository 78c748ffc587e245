import Glibc
import TesseraPictures

/// A camera that streams into buffers in memory. Used only by the thread that opened it.
final class CameraStream {
  // Released in this order: the kernel closes a node only when nothing of it is mapped any more.
  private let mappings: Mappings
  private let node: CameraNode
  let format: FrameFormat

  private static let wishedBuffers = 4
  private static let mostBuffers = 32
  private static let rate = 30

  /// Opens the device, chooses a format and starts the stream.
  ///
  /// - Parameter wished: The only format to consider; nil for all.
  /// - Throws: `CameraError`.
  init(_ device: CameraDevice, only wished: PixelFormat? = nil) throws(CameraError) {
    let node = try CameraNode(path: device.path)
    let capability = try node.capability()
    // The kernel reuses the number of a node as soon as its device is unplugged.
    if !device.driver.isEmpty, CameraDevice(path: device.path, capability) != device {
      throw .disconnected(path: device.path)
    }
    guard capability.capturesVideo, capability.streams else { throw .notACamera(path: device.path) }
    format = try Self.negotiate(node, only: wished)
    let count = try node.requestBuffers(Self.wishedBuffers)
    // One that the driver fills, and one that is read.
    guard (2...Self.mostBuffers).contains(count) else {
      throw .failed(path: device.path, call: "VIDIOC_REQBUFS", code: ENOMEM)
    }
    let mappings = Mappings()
    for index in 0..<count {
      mappings.buffers.append(try node.map(index))
      try node.queue(index)
    }
    try node.start()
    self.node = node
    self.mappings = mappings
  }

  deinit { node.stop() }

  /// Reports POLLIN when a buffer is filled, and POLLERR or POLLHUP when the device is unplugged.
  var descriptor: Int32 { node.descriptor }

  var path: String { node.path }

  /// Whether a buffer may stay with this process while the driver fills others.
  var hasSpareBuffer: Bool { mappings.buffers.count > 2 }

  /// A buffer that the driver has filled; nil if there is none at the moment.
  func dequeue() throws(CameraError) -> CameraNode.Filled? {
    guard let filled = try node.dequeue() else { return nil }
    guard mappings.buffers.indices.contains(filled.index) else {
      throw .failed(path: node.path, call: "VIDIOC_DQBUF", code: EINVAL)
    }
    return filled
  }

  /// Gives a buffer back to the driver.
  func requeue(_ filled: CameraNode.Filled) throws(CameraError) { try node.queue(filled.index) }

  /// The bytes of a buffer, until it is given back.
  func bytes(_ filled: CameraNode.Filled) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: mappings.buffers[filled.index].prefix(max(0, filled.bytesUsed)))
  }

  func error(_ call: String) -> CameraError { node.error(call) }

  /// How many formats are tried.
  private static let mostChoices = 8

  private static func negotiate(_ node: CameraNode, only wished: PixelFormat?) throws(CameraError) -> FrameFormat {
    let offered = try node.pixelFormats()
    var offers: [(format: PixelFormat, sizes: [CameraNode.Size])] = []
    for format in offered where format.luminance != nil && wished ?? format == format {
      offers.append((format, try node.sizes(of: format, near: FormatChoice.wish)))
    }
    // A driver may refuse a format that it offers, or answer with another one.
    for choice in FormatChoice.ranked(offers).prefix(Self.mostChoices) {
      guard let format = try node.setFormat(choice.format, width: choice.width, height: choice.height),
        format.pixelFormat.luminance != nil, (1...GrayPicture.longestSide).contains(format.width),
        (1...GrayPicture.longestSide).contains(format.height)
      else { continue }
      try node.setRate(Self.rate)
      return format
    }
    throw .noReadableFormat(path: node.path, offered: offered.map(\.description))
  }

  /// The buffers in memory, which are the driver's: nothing is written to them.
  private final class Mappings {
    var buffers: [UnsafeMutableRawBufferPointer] = []

    deinit { for buffer in buffers { munmap(buffer.baseAddress, buffer.count) } }
  }
}

/// The choice among the formats that a camera offers: 1280 by 720 pixels at 15 frames a second or more, or what is nearest
/// to that.
///
/// Where a camera reaches the same without compression, that is taken, since decoding costs more than copying rows; most
/// USB 2 cameras reach 1280 by 720 pixels with MJPEG only.
struct FormatChoice: Sendable, Equatable {
  let format: PixelFormat
  let width: Int
  let height: Int
  /// In frames a second; nil if unknown.
  let rate: Double?

  static let wish = (width: 1280, height: 720)
  static let wishedRate = 15.0

  /// - Parameter offers: The readable formats with their sizes; no sizes if the driver does not enumerate them.
  /// - Returns: The best one first.
  static func ranked(_ offers: [(format: PixelFormat, sizes: [CameraNode.Size])]) -> [FormatChoice] {
    let choices = offers.flatMap { offer in
      offer.sizes.isEmpty
        ? [FormatChoice(format: offer.format, width: wish.width, height: wish.height, rate: nil)]
        : offer.sizes.map { size in
          FormatChoice(format: offer.format, width: size.width, height: size.height, rate: size.rate)
        }
    }
    return choices.filter { $0.width > 0 && $0.height > 0 }.sorted { $0.rank < $1.rank }
  }

  /// The lowest rank is the best: near the wish, uncompressed, cheap to decode.
  private var rank: (Double, Int, Int) {
    (distance, format.luminance == .jpeg ? 1 : 0, PixelFormat.readable.firstIndex { $0.format == format } ?? .max)
  }

  /// The distance from the wish in octaves (factors of two). Fewer pixels count double: more pixels cost time, fewer cost
  /// characters. An unknown rate counts as high enough.
  private var distance: Double {
    let pixels = log2(Double(width) * Double(height) / Double(Self.wish.width * Self.wish.height))
    // Drivers round: 15 frames a second may be stated as 14.985.
    let slowness = rate.map { max(0, log2(Self.wishedRate / max($0, 0.01)) - 0.05) } ?? 0
    return (pixels < 0 ? -2 * pixels : pixels) + slowness
  }
}

/// The format of a camera's frames, as the driver states it (`struct v4l2_pix_format`). Nothing in it is checked:
/// `FrameDecoder` does that.
public struct FrameFormat: Sendable, Hashable {
  public let pixelFormat: PixelFormat
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// The distance between two rows of the first plane, in bytes. 0: the rows follow each other. Meaningless for JPEG.
  public let bytesPerLine: Int

  public init(pixelFormat: PixelFormat, width: Int, height: Int, bytesPerLine: Int) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.bytesPerLine = bytesPerLine
  }
}
