internal import CTesseraTurboJPEG
import Foundation
import Glibc
import TesseraCore
public import TesseraPictures
import TestSupport

/// A camera for a program that a test runs: a library that the program loads (Tests/Passport/VirtualCamera/virtual-camera.c)
/// answers the calls of V4L2 for one node, which need not exist.
///
/// ```
/// let camera = try VirtualCamera(showing: [picture], as: .yuyv)
/// let run = try await ProgramRun.tessera(["mrz", "scan", "--camera", camera.node], environment: camera.environment)
/// ```
///
/// As a real one, it lets one program stream at a time: two programs with the same camera meet "in use".
public final class VirtualCamera: Sendable {
  /// How the camera encodes its pictures.
  public enum Format: Sendable, Equatable {
    /// `V4L2_PIX_FMT_YUYV`: luminance and colour in turns.
    case yuyv
    case uyvy
    /// `V4L2_PIX_FMT_NV12`: a plane of luminance, then one of colour.
    case nv12
    case grey
    /// JPEG with 4:2:2 chroma.
    case mjpeg(quality: Int)
  }

  /// A frame as the driver delivers it.
  public struct Frame: Sendable {
    public var bytes: [UInt8]
    /// Whether the driver marks the frame as damaged (`V4L2_BUF_FLAG_ERROR`).
    public var isMarkedAsDamaged: Bool

    public init(_ bytes: [UInt8], isMarkedAsDamaged: Bool = false) {
      self.bytes = bytes
      self.isMarkedAsDamaged = isMarkedAsDamaged
    }
  }

  public let node: String
  private let size: (width: Int, height: Int)
  private let format: Format
  private let padding: Int
  private let rate: Int
  private let buffers: Int
  private let fault: String?
  private let library: String
  private let folder: TemporaryFolder

  private var path: String { folder.file("frames") }

  /// A camera that shows these pictures in turns, without end. All have the same size.
  ///
  /// - Parameters:
  ///   - padding: The bytes after each row. Without a meaning for MJPEG.
  ///   - rate: In frames a second, 1 to 1000.
  ///   - buffers: The most buffers that the driver allocates.
  ///   - fault: `CALL:ERRNO`, `CALL:ERRNO:FIRST` or `CALL:ERRNO:FIRST:COUNT`: from its FIRST call on, CALL fails with
  ///     this number COUNT times, without limit by default. CALL is `stat`, `open`, `mmap`, `poll` or the name of a
  ///     request. With the number 0 the call hangs until `goOn`.
  ///   - node: The path of the camera.
  /// - Throws: `Failure` if there is no picture, or no C compiler.
  public init(
    showing pictures: [GrayPicture], as format: Format = .yuyv, padding: Int = 0, rate: Int = 30, buffers: Int = 32,
    fault: String? = nil, node: String = "/dev/video7"
  ) throws {
    guard let first = pictures.first else { throw Failure(.usage, "The camera needs a picture.") }
    size = (first.width, first.height)
    (self.format, self.padding, self.rate, self.buffers) = (format, padding, rate, buffers)
    (self.fault, self.node) = (fault, node)
    library = try Self.library.get()
    folder = try TemporaryFolder()
    try show(pictures)
  }

  /// The environment of a program with this camera.
  public var environment: [String: String] {
    var environment = ["LD_PRELOAD": library, "VIRTUAL_CAMERA_NODE": node, "VIRTUAL_CAMERA_FRAMES": path]
    environment["VIRTUAL_CAMERA_FAULT"] = fault
    return environment
  }

  /// Shows other pictures of the same size, from the next frame on.
  public func show(_ pictures: [GrayPicture]) throws {
    try show(frames: try pictures.map { Frame(try encoded($0)) })
  }

  /// Delivers these bytes as frames, which may be damaged.
  public func show(frames: [Frame]) throws {
    let row = bytesPerLine
    let sizeImage = format.isJPEG ? size.width * size.height * 2 + 4096 : row * size.height * 2
    var contents: [UInt8] = []
    for number in [
      format.code, UInt32(size.width), UInt32(size.height), UInt32(row), UInt32(sizeImage), UInt32(rate),
      UInt32(buffers), UInt32(frames.count),
    ] { contents += Self.bytes(number) }
    for frame in frames {
      contents += Self.bytes(UInt32(frame.bytes.count)) + Self.bytes(frame.isMarkedAsDamaged ? 0x40 : 0) + frame.bytes
    }
    // The program may read the file at any time.
    try Data(contents).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  /// Whether a program streams from the camera.
  public var isInUse: Bool {
    let file = open(path + ".lock", O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { Glibc.close(file) }
    return flock(file, LOCK_EX | LOCK_NB) != 0
  }

  /// Waits until a program begins to stream, or ends it.
  ///
  /// - Returns: Whether it did in time.
  public func wait(untilInUse isInUse: Bool, within seconds: Double = 120) async throws -> Bool {
    try await isTrue(within: .seconds(seconds), every: .milliseconds(100)) { self.isInUse == isInUse }
  }

  /// Unplugs the camera.
  public func unplug() throws { try Data().write(to: URL(fileURLWithPath: path + ".unplugged")) }

  public func plugIn() throws { try FileManager.default.removeItem(atPath: path + ".unplugged") }

  /// Waits until a call of the program hangs.
  public func waitForHang(within seconds: Double = 120) async throws -> Bool {
    try await isTrue(within: .seconds(seconds)) { FileManager.default.fileExists(atPath: path + ".hangs") }
  }

  /// Waits until the program has taken this many more frames.
  public func waitForFrames(_ count: Int, within seconds: Double = 120) async throws -> Bool {
    let first = taken
    return try await isTrue(within: .seconds(seconds)) { taken >= first + count }
  }

  /// The number of frames that the program has taken.
  private var taken: Int {
    // The library writes a byte for each.
    var status = stat()
    return stat(path + ".taken", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Ends the hang: the calls return.
  public func goOn() throws { try Data().write(to: URL(fileURLWithPath: path + ".goes-on")) }

  // MARK: - Frames

  private var bytesPerLine: Int {
    switch format {
    case .yuyv, .uyvy: size.width * 2 + padding
    case .nv12, .grey: size.width + padding
    case .mjpeg: 0
    }
  }

  /// A frame with this picture, as the camera encodes it. Colour and padding have values of their own, so that a decoder
  /// that takes them for luminance is noticed.
  public func encoded(_ picture: GrayPicture) throws -> [UInt8] {
    try picture.withPixels { pixels in
      let rows = stride(from: 0, to: pixels.count, by: picture.width).map { pixels[$0..<$0 + picture.width] }
      let padding = [UInt8](repeating: 0x5A, count: padding)
      switch format {
      case .grey: return rows.flatMap { Array($0) + padding }
      case .nv12:
        let colour = [UInt8](repeating: 0x80, count: bytesPerLine * ((picture.height + 1) / 2))
        return rows.flatMap { Array($0) + padding } + colour
      case .yuyv: return rows.flatMap { row in row.flatMap { [$0, 0x80] } + padding }
      case .uyvy: return rows.flatMap { row in row.flatMap { [0x80, $0] } + padding }
      case .mjpeg(let quality):
        return try Self.jpeg(pixels, width: picture.width, height: picture.height, quality: quality)
      }
    }
  }

  /// A JPEG image with 4:2:2 chroma, as most cameras write it.
  public static func jpeg(
    _ pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int, quality: Int
  ) throws -> [UInt8] {
    guard let encoder = tjInitCompress() else { throw Failure(.internalError, "libjpeg-turbo does not start.") }
    defer { tjDestroy(encoder) }
    // A `flatMap` makes an array of each pixel.
    let colours = [UInt8](unsafeUninitializedCapacity: 3 * pixels.count) { target, count in
      for (index, pixel) in pixels.enumerated() {
        (target[3 * index], target[3 * index + 1], target[3 * index + 2]) = (pixel, pixel, pixel)
      }
      count = 3 * pixels.count
    }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(bytes) }
    guard
      tjCompress2(
        encoder, colours, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &bytes, &count,
        Int32(TJSAMP_422.rawValue), Int32(quality), 0) == 0
    else { throw Failure(.internalError, "libjpeg-turbo does not encode the picture.") }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  // MARK: - The library

  /// The compiled library, once for the process of the tests.
  private static let library = Result { try compile() }

  private static func compile() throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../VirtualCamera/virtual-camera.c").standardized.path
    // Beside the tests' programs, so that a user who may run those can load it too, unless the tests run as such a user.
    let beside = ProgramRun.built("virtual-camera.so")
    let library =
      access(beside.deletingLastPathComponent().path, W_OK) == 0
      ? beside.path
      : FileManager.default.temporaryDirectory.appendingPathComponent("virtual-camera.\(getuid()).so").path
    let partial = library + ".\(getpid())"
    guard
      ProgramRun.succeeds(
        "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", partial, source, "-ldl"])
    else {
      throw Failure(
        .internalError, "The virtual camera does not compile: `cc` with Tests/Passport/VirtualCamera fails.")
    }
    // Another run of the tests may use the library at this moment.
    guard rename(partial, library) == 0 else { throw Failure(.internalError, "\(library) cannot be written.") }
    return library
  }
}

extension VirtualCamera.Format {
  fileprivate var isJPEG: Bool { if case .mjpeg = self { true } else { false } }

  /// The four-character code.
  fileprivate var code: UInt32 {
    let name =
      switch self {
      case .yuyv: "YUYV"
      case .uyvy: "UYVY"
      case .nv12: "NV12"
      case .grey: "GREY"
      case .mjpeg: "MJPG"
      }
    return name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
