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
