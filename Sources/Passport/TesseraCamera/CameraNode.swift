internal import CTesseraV4L2
import Glibc

/// An open node of a V4L2 device and the kernel's requests on it (Documentation/userspace-api/media/v4l). Used only by
/// the thread that opened it.
final class CameraNode {
  /// What VIDIOC_QUERYCAP says, in the terms of this package.
  struct Capability: Sendable, Equatable {
    let driver: String
    let card: String
    let bus: String
    let capturesVideo: Bool
    let streams: Bool
  }

  /// A size that a format is offered in.
  struct Size: Sendable, Equatable {
    let width: Int
    let height: Int
    /// The highest rate in frames a second; nil if the driver does not say.
    let rate: Double?
  }

  /// A buffer that the driver has filled.
  struct Filled: Sendable {
    let index: Int
    let bytesUsed: Int
    let isMarkedAsDamaged: Bool
  }

  let path: String
  let descriptor: Int32

  private static let type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue

  /// Opens the node. Nothing but the node of a character device of V4L2 is opened: opening has side effects on some
  /// other devices.
  ///
  /// - Throws: `CameraError.missing`, `.notACamera`, `.accessDenied`, `.inUse`, `.failed`.
  init(path: String) throws(CameraError) {
    var status = Glibc.stat()
    guard Self.uninterrupted({ stat(path, &status) }) == 0 else { throw Self.openError(path, "stat", errno) }
    guard status.st_mode & S_IFMT == S_IFCHR, Self.major(status.st_rdev) == Self.videoMajor else {
      throw .notACamera(path: path)
    }
    let descriptor = Self.uninterrupted { open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw Self.openError(path, "open", errno) }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  // MARK: - What the device is and offers

  /// - Throws: `CameraError.notACamera`, `.disconnected`, `.failed`.
  func capability() throws(CameraError) -> Capability {
    var capability = v4l2_capability()
    guard Self.uninterrupted({ tessera_v4l2_querycap(descriptor, &capability) }) == 0 else {
      // ENOTTY: another driver's node.
      if errno == ENOTTY || errno == EINVAL { throw .notACamera(path: path) }
      throw error("VIDIOC_QUERYCAP")
    }
    // Without V4L2_CAP_DEVICE_CAPS the driver does not distinguish between its nodes.
    let has =
      capability.capabilities & UInt32(bitPattern: Int32(truncatingIfNeeded: V4L2_CAP_DEVICE_CAPS)) != 0
      ? capability.device_caps : capability.capabilities
    return Capability(
      driver: Self.text(capability.driver), card: Self.text(capability.card), bus: Self.text(capability.bus_info),
      // A touch pad is a camera too, in the terms of V4L2.
      capturesVideo: has & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 && has & UInt32(V4L2_CAP_TOUCH) == 0,
      streams: has & UInt32(V4L2_CAP_STREAMING) != 0)
  }

  /// The pixel formats, at most 256.
  func pixelFormats() throws(CameraError) -> [PixelFormat] {
    var formats: [PixelFormat] = []
    for index in 0..<UInt32(256) {
      var format = v4l2_fmtdesc()
      format.index = index
      format.type = Self.type
      guard Self.uninterrupted({ tessera_v4l2_enum_fmt(descriptor, &format) }) == 0 else {
        // EINVAL ends the list.
        if errno == EINVAL { break }
        throw error("VIDIOC_ENUM_FMT")
      }
      formats.append(PixelFormat(code: format.pixelformat))
    }
    return formats
  }

  /// The sizes of a format, at most 64; of a range of sizes the nearest to `wish`. Empty if the driver does not say.
  func sizes(of format: PixelFormat, near wish: (width: Int, height: Int)) throws(CameraError) -> [Size] {
    var sizes: [Size] = []
    for index in 0..<UInt32(64) {
      var size = v4l2_frmsizeenum()
      size.index = index
      size.pixel_format = format.code
      guard Self.uninterrupted({ tessera_v4l2_enum_framesizes(descriptor, &size) }) == 0 else {
        // EINVAL ends the list. ENOTTY: the driver does not enumerate sizes.
        if errno == EINVAL || errno == ENOTTY { break }
        throw error("VIDIOC_ENUM_FRAMESIZES")
      }
      let width: UInt32
      let height: UInt32
      if size.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        (width, height) = (size.discrete.width, size.discrete.height)
      } else {
        let range = size.stepwise
        width = Self.nearest(wish.width, range.min_width, range.max_width, range.step_width)
        height = Self.nearest(wish.height, range.min_height, range.max_height, range.step_height)
      }
      sizes.append(
        Size(width: Int(width), height: Int(height), rate: try highestRate(format, width, height)))
      if size.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue { break }
    }
    return sizes
  }

  /// The highest rate of a size in frames a second; nil if the driver does not say.
  private func highestRate(_ format: PixelFormat, _ width: UInt32, _ height: UInt32) throws(CameraError) -> Double? {
    var highest: Double?
    for index in 0..<UInt32(64) {
      var interval = v4l2_frmivalenum()
      interval.index = index
      interval.pixel_format = format.code
      interval.width = width
      interval.height = height
      guard Self.uninterrupted({ tessera_v4l2_enum_frameintervals(descriptor, &interval) }) == 0 else {
        if errno == EINVAL || errno == ENOTTY { break }
        throw error("VIDIOC_ENUM_FRAMEINTERVALS")
      }
      let isDiscrete = interval.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      let shortest = isDiscrete ? interval.discrete : interval.stepwise.min
      if shortest.numerator > 0, shortest.denominator > 0 {
        highest = max(highest ?? 0, Double(shortest.denominator) / Double(shortest.numerator))
      }
      if !isDiscrete { break }
    }
    return highest
  }

  // MARK: - The stream

  /// Sets the format. The driver may choose another one.
  ///
  /// - Returns: The format that it has chosen; nil if it refuses this one, or if its frames are not whole pictures.
  func setFormat(_ format: PixelFormat, width: Int, height: Int) throws(CameraError) -> FrameFormat? {
    var request = v4l2_format()
    request.type = Self.type
    request.fmt.pix.pixelformat = format.code
    request.fmt.pix.width = UInt32(clamping: width)
    request.fmt.pix.height = UInt32(clamping: height)
    request.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    guard Self.uninterrupted({ tessera_v4l2_s_fmt(descriptor, &request) }) == 0 else {
      if errno == EINVAL { return nil }
      throw error("VIDIOC_S_FMT")
    }
    let answer = request.fmt.pix
    // With these two fields a frame contains the odd rows, then the even rows.
    if answer.field == V4L2_FIELD_SEQ_TB.rawValue || answer.field == V4L2_FIELD_SEQ_BT.rawValue { return nil }
    return FrameFormat(
      pixelFormat: PixelFormat(code: answer.pixelformat), width: Int(answer.width), height: Int(answer.height),
      bytesPerLine: Int(answer.bytesperline))
  }

  /// Sets the format to what it is. The driver refuses even that while another program streams.
  func claim() throws(CameraError) {
    var format = v4l2_format()
    format.type = Self.type
    guard Self.uninterrupted({ tessera_v4l2_g_fmt(descriptor, &format) }) == 0 else { throw error("VIDIOC_G_FMT") }
    guard Self.uninterrupted({ tessera_v4l2_s_fmt(descriptor, &format) }) == 0 else { throw error("VIDIOC_S_FMT") }
  }

  /// Asks for a rate, which is a wish only: the driver may choose another one, or have only one.
  func setRate(_ rate: Int) throws(CameraError) {
    var request = v4l2_streamparm()
    request.type = Self.type
    request.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: UInt32(clamping: rate))
    guard Self.uninterrupted({ tessera_v4l2_s_parm(descriptor, &request) }) != 0 else { return }
    if errno == ENODEV { throw error("VIDIOC_S_PARM") }
  }

  /// Requests buffers; 0 releases them.
  ///
  /// - Returns: How many the driver has allocated.
  func requestBuffers(_ count: Int) throws(CameraError) -> Int {
    var request = v4l2_requestbuffers()
    request.count = UInt32(clamping: count)
    request.type = Self.type
    request.memory = V4L2_MEMORY_MMAP.rawValue
    guard Self.uninterrupted({ tessera_v4l2_reqbufs(descriptor, &request) }) == 0 else { throw error("VIDIOC_REQBUFS") }
    return Int(request.count)
  }

  /// Maps a buffer. The caller unmaps it.
  func map(_ index: Int) throws(CameraError) -> UnsafeMutableRawBufferPointer {
    var buffer = Self.buffer(index)
    guard Self.uninterrupted({ tessera_v4l2_querybuf(descriptor, &buffer) }) == 0 else {
      throw error("VIDIOC_QUERYBUF")
    }
    // No frame of the longest sides is larger.
    guard buffer.length > 0, buffer.length <= 1 << 28 else {
      throw .failed(path: path, call: "VIDIOC_QUERYBUF", code: EINVAL)
    }
    let length = Int(buffer.length)
    // V4L2's documentation asks for both rights: some drivers refuse less.
    let memory = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(buffer.m.offset))
    // MAP_FAILED is -1.
    guard let memory, memory != UnsafeMutableRawPointer(bitPattern: -1) else { throw error("mmap") }
    return UnsafeMutableRawBufferPointer(start: memory, count: length)
  }

  func queue(_ index: Int) throws(CameraError) {
    var buffer = Self.buffer(index)
    guard Self.uninterrupted({ tessera_v4l2_qbuf(descriptor, &buffer) }) == 0 else { throw error("VIDIOC_QBUF") }
  }

  /// A buffer that the driver has filled; nil if there is none at the moment.
  func dequeue() throws(CameraError) -> Filled? {
    var buffer = Self.buffer(0)
    guard Self.uninterrupted({ tessera_v4l2_dqbuf(descriptor, &buffer) }) == 0 else {
      if errno == EAGAIN { return nil }
      throw error("VIDIOC_DQBUF")
    }
    return Filled(
      index: Int(buffer.index), bytesUsed: Int(buffer.bytesused),
      isMarkedAsDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0)
  }

  func start() throws(CameraError) {
    guard Self.uninterrupted({ tessera_v4l2_streamon(descriptor, Int32(Self.type)) }) == 0 else {
      throw error("VIDIOC_STREAMON")
    }
  }

  /// Stops the stream. After an error there is nothing else to do than to close the node, which stops it too.
  func stop() { _ = Self.uninterrupted { tessera_v4l2_streamoff(descriptor, Int32(Self.type)) } }

  // MARK: - Errors and numbers

  /// The error for the present `errno`.
  func error(_ call: String) -> CameraError {
    switch errno {
    case ENODEV, ENXIO: .disconnected(path: path)
    case EBUSY: .inUse(path: path)
    case EACCES, EPERM: .accessDenied(path: path)
    case let code: .failed(path: path, call: call, code: code)
    }
  }

  private static func openError(_ path: String, _ call: String, _ code: Int32) -> CameraError {
    switch code {
    // The last two: the device of the node was unplugged.
    case ENOENT, ENOTDIR, ENODEV, ENXIO: .missing(path: path)
    case EACCES, EPERM: .accessDenied(path: path)
    case EBUSY: .inUse(path: path)
    default: .failed(path: path, call: call, code: code)
    }
  }

  private static func buffer(_ index: Int) -> v4l2_buffer {
    var buffer = v4l2_buffer()
    buffer.type = type
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    buffer.index = UInt32(clamping: index)
    return buffer
  }

  /// The nearest number to `wish` in a range with steps.
  static func nearest(_ wish: Int, _ lowest: UInt32, _ highest: UInt32, _ step: UInt32) -> UInt32 {
    guard lowest < highest else { return highest }
    let wish = min(max(UInt32(clamping: wish), lowest), highest)
    let step = max(1, step)
    return lowest + (wish - lowest) / step * step
  }

  /// The text in a field of a fixed length that ends at the first 0.
  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// VIDEO_MAJOR of the kernel's drivers/media/v4l2-core/v4l2-dev.c (Documentation/admin-guide/devices.txt).
  private static let videoMajor: UInt64 = 81

  /// gnu_dev_major(3).
  private static func major(_ device: dev_t) -> UInt64 {
    let device = UInt64(device)
    return (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
  }

  /// Repeats a call that a signal interrupted.
  static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}
