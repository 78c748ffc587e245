import CLab
import Foundation
import TesseraCore
public import TesseraPictures
import TesseraThreads
import TesseraUdev

/// The kernel's virtual camera (vivid) with a picture of ours in front of it: a thread shows the picture on the driver's
/// HDMI output, which is connected to the HDMI input of its camera.
///
/// The camera then offers 1280 by 720 pixels, and delivers exactly these pixels if it is opened with the
/// format GREY, which `CameraCapture` prefers. There is one vivid in the machine, so only one of these may exist.
public final class LoopbackCamera: Sendable {
  public static let width = 1280
  public static let height = 720

  /// The node of the camera.
  public let node: String
  private let picture: Locked<GrayPicture>
  private let isOpen = Locked(true)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// - Parameter picture: 1280 by 720 pixels.
  /// - Throws: `Failure` if there is no vivid, or its output does not take the picture.
  public init(showing picture: GrayPicture) throws {
    guard picture.width == Self.width, picture.height == Self.height else {
      throw Failure(.usage, "The loopback camera shows pictures of 1280 by 720 pixels.")
    }
    node = try Self.node("vivid-000-vid-cap")
    let outputNode = try Self.node("vivid-000-vid-out")
    guard tessera_vivid_connect(node, outputNode) == 0 else { throw Self.failure("vivid's output cannot be connected") }
    var buffers = [UnsafeMutableRawPointer?](repeating: nil, count: Int(tessera_vivid_buffers))
    let descriptor = picture.withPixels { pixels in
      tessera_vivid_start_output(outputNode, UInt32(Self.width), UInt32(Self.height), pixels.baseAddress, &buffers)
    }
    guard descriptor >= 0 else { throw Self.failure("vivid's output cannot be opened") }
    self.picture = Locked(picture)
    // From here on only the thread uses the output and its buffers.
    nonisolated(unsafe) let mapped = buffers
    DetachedThread.start(name: "hdmi") { [isOpen, hasEnded, picture = self.picture] in
      while isOpen.withLock({ $0 }) {
        let current = picture.withLock { $0 }
        let isShown = current.withPixels { pixels in
          tessera_vivid_show(descriptor, pixels.baseAddress, UInt32(pixels.count), mapped) == 0
        }
        if !isShown, errno != EINTR { break }
      }
      tessera_vivid_stop(descriptor, UInt32(Self.width * Self.height), mapped)
      hasEnded.signal()
    }
  }

  deinit { close() }

  /// Shows another picture of 1280 by 720 pixels.
  public func show(_ picture: GrayPicture) { self.picture.withLock { $0 = picture } }

  /// Makes the camera a webcam with a test pattern again.
  public func close() {
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard wasOpen else { return }
    hasEnded.wait()
    _ = tessera_vivid_input(node, 0)
  }

  /// The node of a part of vivid.
  public static func node(_ name: String) throws -> String {
    let node = try Udev.devices(subsystem: "video4linux").first { $0.attribute("name") == name }?.node
    guard let node else { throw Failure(.noDevice, "The driver vivid is not loaded.") }
    return node
  }

  private static func failure(_ cause: String) -> Failure {
    Failure(.serviceUnavailable, "\(cause): \(String(cString: strerror(errno))).")
  }
}
