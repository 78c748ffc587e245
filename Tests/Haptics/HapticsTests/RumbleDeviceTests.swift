import Foundation
import TestSupport
import Testing

@testable import TesseraHaptics

@Suite("Force-feedback devices in /sys")
struct RumbleDeviceTests {
  /// A gamepad's files, as the kernel's hid-playstation leaves them.
  private static let pad = [
    "capabilities/ff": "107030000 0", "capabilities/key": "7fdb000000000000 0 0 0 0", "name": "A Pad",
    "id/bustype": "0003", "id/vendor": "054c", "id/product": "0ce6", "uniq": "a0:b1", "phys": "usb-1/input0",
  ]

  private static func device(
    _ files: [String: String], number: Int = 5, properties: [String: String] = [:]
  ) -> RumbleDevice? {
    RumbleDevice(
      sysPath: "/sys/devices/input7/event\(number)", node: "/dev/input/event\(number)", properties: properties,
      attribute: { files[$0] })
  }

  @Test("recognises a gamepad without opening it")
  func known() throws {
    let device = try #require(Self.device(Self.pad))
    #expect(device.number == 5 && device.path == "/dev/input/event5" && device.isGamepad)
    #expect(
      device.identity
        == RumbleDevice.Identity(bus: "0003", vendor: "054c", product: "0ce6", name: "A Pad", unique: "a0:b1"))
    #expect(device.features.hasRumble && device.features.hasPeriodic && device.features.hasGain)
    #expect(device.features.waveforms == [.square, .triangle, .sine])
  }

  @Test("reads bitmaps word by word from the end")
  func bits() throws {
    let bits = try #require(InputBits("107030000 0"))
    #expect((0..<256).filter { bits.contains(Int32($0)) } == [0x50, 0x51, 0x58, 0x59, 0x5A, 0x60])
    #expect(InputBits("0")?.isEmpty == true)
    #expect(InputBits("8000000000000001").map { $0.contains(0) && $0.contains(63) && !$0.contains(1) } == true)
    for text in ["", "x", "1 -1", "10000000000000000", String(repeating: "0 ", count: 100)] {
      #expect(InputBits(text) == nil, "\(text)")
    }
  }

  @Test("ignores devices without force feedback and nodes that are no event nodes")
  func none() {
    var files = Self.pad
    files["capabilities/ff"] = "0"
    #expect(Self.device(files) == nil)
    files["capabilities/ff"] = "zzz"
    #expect(Self.device(files) == nil)
    files["capabilities/ff"] = nil
    #expect(Self.device(files) == nil)
    #expect(
      RumbleDevice(
        sysPath: "/sys/devices/input7/js0", node: "/dev/input/js0", properties: [:], attribute: { Self.pad[$0] }) == nil
    )
    #expect(
      RumbleDevice(
        sysPath: "/sys/devices/event99999999999999999999", node: "/dev/x", properties: [:],
        attribute: { Self.pad[$0] }) == nil)
  }

  @Test(
    "prefers the device used last, then gamepads, then the order of connection; devices that cannot rumble come last")
  func order() throws {
    var plain = Self.pad
    plain["capabilities/key"] = "0"
    plain["name"] = "Plain"
    var wheel = Self.pad
    wheel["capabilities/ff"] = "100000 0"  // FF_CONSTANT and nothing else
    wheel["name"] = "Wheel"
    let devices = try [
      #require(Self.device(wheel, number: 1)), #require(Self.device(plain, number: 2)),
      #require(Self.device(plain, number: 3, properties: ["ID_INPUT_JOYSTICK": "1"])),
      #require(Self.device(Self.pad, number: 10)), #require(Self.device(Self.pad, number: 4)),
    ]
    #expect(RumbleDevice.sorted(devices, lastUsed: nil).map(\.number) == [3, 4, 10, 2, 1])
    #expect(RumbleDevice.sorted(devices, lastUsed: devices[3].identity).map(\.number) == [4, 10, 3, 2, 1])
    #expect(RumbleDevice.sorted(devices, lastUsed: devices[0].identity).map(\.number) == [3, 4, 10, 2, 1])
    #expect(!devices[0].features.canRumble)
  }

  @Test("prefers a gamepad to a wheel that was connected earlier, unless the wheel was used last")
  func wheel() throws {
    var wheel = Self.pad
    wheel["capabilities/ff"] = "107070000 0"  // rumble, periodic, square, triangle, sine; constant; gain
    wheel["name"] = "Wheel"
    let joystick = ["ID_INPUT_JOYSTICK": "1"]
    let devices = try [
      #require(Self.device(wheel, number: 1, properties: joystick)), #require(Self.device(Self.pad, number: 2)),
    ]
    #expect(devices[0].motors == .waves && devices[0].isGamepad)
    #expect(RumbleDevice.sorted(devices, lastUsed: nil).map(\.number) == [2, 1])
    #expect(RumbleDevice.sorted(devices, lastUsed: devices[0].identity).map(\.number) == [1, 2])
  }

  @Test("stores the device used last, and ignores invalid files")
  func memory() throws {
    let folder = try TemporaryFolder()
    let identity = try #require(Self.device(Self.pad)).identity
    let memory = LastUsedDevice(path: folder.file("a/b/device.json"))
    #expect(memory.identity == nil)
    memory.remember(identity)
    #expect(memory.identity == identity)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b")) == ["device.json"])

    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(LastUsedDevice(path: pipe).identity == nil)
    #expect(LastUsedDevice(path: "/dev/zero").identity == nil)
    #expect(LastUsedDevice(path: folder.url.path).identity == nil)
    // If the file cannot be written, no error is reported.
    LastUsedDevice(path: "/proc/nowhere/device.json").remember(identity)
  }

  @Test("remembers devices that nobody serves until the kernel is started again, and ignores invalid files")
  func unserved() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a/unserved.json")
    let (clone, other) = (try #require(Self.device(Self.pad)), try #require(Self.device(Self.pad, number: 6)))
    let list = UnservedDevices(path: path, start: "one")
    #expect(!list.contains(clone))
    list.insert(clone)
    for list in [list, UnservedDevices(path: path, start: "one")] {
      #expect(list.contains(clone) && !list.contains(other))
    }
    #expect(!UnservedDevices(path: path, start: "two").contains(clone))
    // `tessera haptic devices` says so, without opening it.
    #expect(clone.probe(leftOut: list) == .failure(.unserved(path: clone.path)))
    for content in ["", "{", "[7]", String(repeating: "x", count: 70_000)] {
      try content.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(!UnservedDevices(path: path, start: "one").contains(clone))
    }
    UnservedDevices(path: "/proc/nowhere/unserved.json", start: "one").insert(clone)
  }

  @Test("does not open a path that is not an event node")
  func namedPath() async {
    let player = RumblePlayer(
      device: .path("/dev/null"), memory: LastUsedDevice(path: "/proc/nonexistent/haptic-device.json"))
    await #expect(throws: HapticError.notADevice(path: "/dev/null")) {
      try await player.play(HapticWord.selection.pattern)
    }
    #expect(await !player.isAvailable())
  }
}
