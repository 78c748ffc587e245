internal import CTesseraEvdev
package import TesseraUdev

/// A force-feedback device as listed in `/sys`; the process need not have permission to open it.
public struct RumbleDevice: Sendable, Hashable {
  /// The properties that stay the same when the device is connected again, to any port.
  public struct Identity: Sendable, Hashable, Codable {
    /// Four hexadecimal digits each.
    public let bus: String
    public let vendor: String
    public let product: String
    public let name: String
    /// The serial number or radio address; empty if the device has none.
    public let unique: String
  }

  /// The device's folder below `/sys`, which identifies it while it is connected.
  public let sysPath: String
  /// `/dev/input/event…`
  public let path: String
  /// The number of the event node, which increases in the order of connection.
  public let number: Int
  public let identity: Identity
  /// The port as described by the kernel; empty if unknown.
  public let physicalPath: String
  public let features: ForceFeatures
  /// Whether the device is a gamepad or joystick.
  public let isGamepad: Bool

  public var name: String { identity.name }

  public var motors: RumbleMotors {
    RumbleMotors(features: features, vendor: identity.vendor, product: identity.product, name: name)
  }

  /// nil unless this is the event node of a force-feedback device.
  package init?(_ device: UdevDevice) {
    guard let node = device.node else { return nil }
    self.init(
      sysPath: device.sysPath, node: node, properties: device.properties,
      attribute: { device.attribute("device/" + $0) })
  }

  /// - Parameter attribute: Reads a file of the event node's input device. Its contents come from the device and may be
  ///   anything.
  package init?(sysPath: String, node: String, properties: [String: String], attribute: (String) -> String?) {
    guard let name = sysPath.split(separator: "/").last, name.hasPrefix("event"),
      let number = Int(name.dropFirst("event".count)), number >= 0,
      let forces = attribute("capabilities/ff").flatMap(InputBits.init), !forces.isEmpty
    else { return nil }
    self.sysPath = sysPath
    path = node
    self.number = number
    func word(_ file: String) -> String { attribute(file).map { String($0.prefix(256)) } ?? "" }
    identity = Identity(
      bus: word("id/bustype"), vendor: word("id/vendor"), product: word("id/product"), name: word("name"),
      unique: word("uniq"))
    physicalPath = word("phys")
    features = ForceFeatures(forces.contains)
    // A property of udev's rules, or the button's bit if no rules ran.
    let keys = attribute("capabilities/key").flatMap(InputBits.init)
    isGamepad = properties["ID_INPUT_JOYSTICK"] == "1" || keys?.contains(BTN_GAMEPAD) ?? false
  }

  /// The force-feedback devices that are connected, the default device first.
  ///
  /// - Parameter lastUsed: The identity of the device that was used last.
  /// - Throws: `HapticError.devicesUnavailable`.
  public static func all(lastUsed: Identity? = nil) throws(HapticError) -> [RumbleDevice] {
    do {
      return sorted(try Udev.devices(subsystem: "input").compactMap(RumbleDevice.init), lastUsed: lastUsed)
    } catch {
      throw .devicesUnavailable
    }
  }

  /// Sorts devices by preference: the device used last, then gamepads, then in the order of connection. Wheels and
  /// sticks, whose force moves the hand, come after gamepads with motors. Devices that cannot rumble come last.
  static func sorted(_ devices: [RumbleDevice], lastUsed: Identity?) -> [RumbleDevice] {
    devices.sorted { one, other in one.rank(lastUsed) < other.rank(lastUsed) }
  }

  private func rank(_ lastUsed: Identity?) -> (Int, Int, Int, Int) {
    let kind = isGamepad ? (features.makesWaves ? 1 : 0) : 2
    return (features.canRumble ? 0 : 1, identity == lastUsed ? 0 : 1, kind, number)
  }
}

/// A bitmap of the input subsystem in the form of `/sys`: hexadecimal words of the machine's width, the highest first,
/// without leading zeros (`input_bits_to_string` in the kernel's drivers/input/input.c).
struct InputBits: Sendable, Equatable {
  private let words: [UInt]

  /// nil for malformed text.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    // The longest bitmap, that of the keys, has 768 bits.
    guard !parts.isEmpty, parts.count <= 64 else { return nil }
    let words = parts.compactMap { UInt($0, radix: 16) }
    guard words.count == parts.count else { return nil }
    self.words = words.reversed()
  }

  func contains(_ bit: Int32) -> Bool {
    let (word, offset) = Int(bit).quotientAndRemainder(dividingBy: UInt.bitWidth)
    return words.indices.contains(word) && words[word] >> offset & 1 == 1
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
}
