import FoundationEssentials
import Glibc
import TesseraCore
import TesseraUdev

/// A device that captures video, by its node.
public struct CameraDevice: Sendable, Hashable {
  /// `/dev/video…`
  public let path: String
  /// The name that the device gives itself; that of the node's folder in `/sys` if this user may not open the node.
  /// Text from outside: it may contain anything.
  public let card: String
  /// The place of the device: `usb-0000:00:14.0-5`. Empty if this user may not open the node.
  public let bus: String
  /// The kernel's driver: `uvcvideo`. Empty if this user may not open the node.
  public let driver: String

  package init(path: String, card: String, bus: String, driver: String) {
    self.path = path
    self.card = card
    self.bus = bus
    self.driver = driver
  }

  init(path: String, _ capability: CameraNode.Capability) {
    self.init(path: path, card: capability.card, bus: capability.bus, driver: capability.driver)
  }

  /// The cameras that are connected, in the order of their nodes' numbers: that of connection.
  ///
  /// Asks each device for its capabilities, which wakes a sleeping USB device and blocks for as long. A camera that
  /// this user may not open is in the list too; opening it later throws `CameraError.accessDenied`. A device with
  /// multi-planar buffers only (V4L2_CAP_VIDEO_CAPTURE_MPLANE), as in some telephones and single-board computers, is
  /// not.
  public static func all() -> [CameraDevice] {
    let listed = ((try? Udev.devices(subsystem: "video4linux")) ?? []).filter { device in
      // Others are radio receivers, text decoders and touch pads.
      device.node?.hasPrefix("/dev/video") == true
    }
    let nodes =
      listed.isEmpty
      // In a container without `/sys`.
      ? (0..<mostNodes).map { number in (path: "/dev/video\(number)", device: nil as UdevDevice?) }
      : listed.compactMap { device in device.node.map { (path: $0, device: device) } }
    return nodes.sorted { number($0.path) < number($1.path) }.compactMap { node in
      switch Self.probe(node.path) {
      case .success(let capability): capability.map { CameraDevice(path: node.path, $0) }
      // A camera that cannot be used is named, so that the cause is not "no camera".
      case .failure(.accessDenied), .failure(.inUse), .failure(.failed):
        if let device = node.device {
          capturesVideo(device)
            ? CameraDevice(path: node.path, card: device.attribute("name") ?? "", bus: "", driver: "") : nil
        } else {
          CameraDevice(path: node.path, card: "", bus: "", driver: "")
        }
      case .failure: nil
      }
    }
  }

  /// The camera with this node, or a link to it (`/dev/v4l/by-id/…`).
  ///
  /// - Throws: `CameraError.missing`, `.notACamera`, `.accessDenied`, `.inUse`, `.disconnected` or `.failed`.
  public init(path: String) throws(CameraError) {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let node = try CameraNode(path: path)
    let capability = try node.capability()
    guard capability.capturesVideo, capability.streams else { throw .notACamera(path: path) }
    self.init(path: path, capability)
  }

  /// Opens the camera briefly, to see whether it can be used at this moment. Changes nothing.
  ///
  /// - Throws: `CameraError.accessDenied`, `.inUse`, `.noReadableFormat`, `.disconnected` and others.
  public func probe() throws(CameraError) {
    let node = try CameraNode(path: path)
    let capability = try node.capability()
    guard capability.capturesVideo, capability.streams else { throw .notACamera(path: path) }
    let formats = try node.pixelFormats()
    guard formats.contains(where: { $0.luminance != nil }) else {
      throw .noReadableFormat(path: path, offered: formats.map(\.description))
    }
    try node.claim()
  }

  /// - Returns: nil for a device that does not capture video: the metadata node of a camera, a video output.
  private static func probe(_ path: String) -> Result<CameraNode.Capability?, CameraError> {
    do throws(CameraError) {
      let node = try CameraNode(path: path)
      let capability = try node.capability()
      return .success(capability.capturesVideo && capability.streams ? capability : nil)
    } catch {
      return .failure(error)
    }
  }

  /// What udev's `v4l_id` knows about a node that this user may not open. Without udevd it is unknown and assumed.
  private static func capturesVideo(_ device: UdevDevice) -> Bool {
    device.properties["ID_V4L_CAPABILITIES"]?.contains(":capture:") ?? true
  }

  /// The kernel numbers at most 256 nodes; a computer has few.
  private static let mostNodes = 64

  private static func number(_ path: String) -> Int {
    Int(String(path.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())) ?? .max
  }
}
