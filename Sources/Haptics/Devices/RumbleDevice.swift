internal import CEvdev
public import Udev

/// A force-feedback device as `/sys` shows it to everybody, whoever may open it.
public struct RumbleDevice: Sendable, Hashable {
  /// What stays the same when it is plugged in again, elsewhere too.
  public struct Identity: Sendable, Hashable, Codable {
    /// Four hexadecimal digits each.
    public let bus: String
    public let vendor: String
    public let product: String
    public let name: String
    /// The serial number or radio address; empty where the device has none.
    public let unique: String
  }

  /// Its folder below `/sys`, which names it for as long as it is plugged in.
  public let sysPath: String
  /// `/dev/input/event…`
  public let path: String
  /// Of the event node: the order of plugging in.
  public let number: Int
  public let identity: Identity
  /// Where it is plugged in, as the kernel says it; empty where it does not.
  public let physicalPath: String
  public let features: ForceFeatures
  /// Whether somebody holds it in their hands.
  public let isGamepad: Bool

  public var name: String { identity.name }

  /// nil for what is not the event node of a force-feedback device.
  public init?(_ device: UdevDevice) {
    guard let node = device.node else { return nil }
    self.init(
      sysPath: device.sysPath, node: node, properties: device.properties,
      attribute: { device.attribute("device/" + $0) })
  }

  /// - Parameter attribute: a file of the input device that the event node belongs to. All of it is the device's word.
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
    // udev's rules tell it; the button's bit where none ran.
    let keys = attribute("capabilities/key").flatMap(InputBits.init)
    isGamepad = properties["ID_INPUT_JOYSTICK"] == "1" || keys?.contains(BTN_GAMEPAD) ?? false
  }

  /// Every force-feedback device there is, the default first.
  ///
  /// - Parameter lastUsed: the identity of the one that was used last.
  /// - Throws: `UdevError`.
  public static func all(lastUsed: Identity? = nil) throws(UdevError) -> [RumbleDevice] {
    sorted(try Udev.devices(subsystem: "input").compactMap(RumbleDevice.init), lastUsed: lastUsed)
  }

  /// The order in which devices are tried: the one used last, then those in somebody's hands, then as they were
  /// plugged in. What cannot rumble comes last.
  static func sorted(_ devices: [RumbleDevice], lastUsed: Identity?) -> [RumbleDevice] {
    devices.sorted { one, other in one.rank(lastUsed) < other.rank(lastUsed) }
  }

  private func rank(_ lastUsed: Identity?) -> (Int, Int, Int, Int) {
    (features.canRumble ? 0 : 1, identity == lastUsed ? 0 : 1, isGamepad ? 0 : 1, number)
  }
}
