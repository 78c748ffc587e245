import Foundation
import TestSupport
import Testing

@testable import TesseraReaders

extension RealPrograms {
  @Suite("USB devices in /sys and the messages of udevd")
  struct USBDeviceTests {
    /// A folder as the kernel fills it; links are relative to the folder of the drivers.
    private static func folder(_ devices: [String: [String: String]], drivers: [String: String] = [:]) throws
      -> TemporaryFolder
    {
      let folder = try TemporaryFolder()
      let manager = FileManager.default
      for (name, files) in devices {
        try manager.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        for (file, content) in files {
          try (content + "\n").write(toFile: folder.file("\(name)/\(file)"), atomically: true, encoding: .utf8)
        }
      }
      for (interface, driver) in drivers {
        try manager.createDirectory(atPath: folder.file(interface), withIntermediateDirectories: true)
        try manager.createSymbolicLink(
          atPath: folder.file("\(interface)/driver"), withDestinationPath: "../../../bus/usb/drivers/\(driver)")
      }
      return folder
    }

    private static let reader = [
      "idVendor": "04cc", "idProduct": "2533", "busnum": "1", "devnum": "14", "manufacturer": "ACME",
      "product": "PN533",
    ]

    @Test("lists the devices and not their interfaces")
    func devices() throws {
      let folder = try Self.folder(
        [
          "1-2": Self.reader, "usb1": ["idVendor": "1d6b", "idProduct": "0002", "busnum": "1", "devnum": "1"],
          "1-3": [:],
        ],
        drivers: ["1-2:1.0": "unused"])
      let devices = USBDevice.all(in: folder.url.path)
      #expect(devices.map(\.identity) == ["04cc:2533", "1d6b:0002"])
      #expect(devices.first?.bus == 1 && devices.first?.number == 14 && devices.first?.label == "ACME PN533")
      #expect(devices.last?.label == "")
      #expect(USBDevice.all(in: folder.file("none")).isEmpty)
    }

    @Test(
      "reports who uses a device by the driver of its interfaces",
      arguments: [
        ([:], nil), (["1-2/1-2:1.0": "usbfs"], .program),
        (["1-2/1-2:1.0": "pn533_usb"], .kernel(driver: "pn533_usb")), (["1-2/1-2:1.1": "usbfs"], .program),
      ] as [([String: String], LibNFCReader.Owner?)])
    func owner(_ drivers: [String: String], _ expected: LibNFCReader.Owner?) throws {
      let folder = try Self.folder(["1-2": Self.reader], drivers: drivers)
      let device = try #require(USBDevice.all(in: folder.url.path).first)
      let reader = try #require(LibNFCReader(device))
      #expect(reader.owner == expected && reader.name == "ACME PN533")
      #expect(reader.connstring.text == "pn53x_usb:001:014")
    }

    /// A message as systemd's udevd 257 sends it.
    private static func message(_ properties: [String], magic: UInt32 = 0xFEED_CAFE) -> [UInt8] {
      let text = properties.flatMap { (property: String) -> [UInt8] in Array(property.utf8) + [0] }
      func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
      let header = Array("libudev\0".utf8) + bytes(magic.bigEndian) + bytes(40) + bytes(40) + bytes(UInt32(text.count))
      return header + [UInt8](repeating: 0x55, count: 16) + text
    }

    @Test(
      "recognises the events of USB devices and interfaces",
      arguments: [
        ("add", "usb", "usb_device", .changed), ("bind", "usb", "usb_interface", .changed),
        ("unbind", "usb", "usb_interface", .changed), ("remove", "usb", "usb_device", .removed),
        ("change", "usb", "usb_device", nil), ("add", "input", "usb_device", nil), ("add", "usb", "other", nil),
      ] as [(String, String, String, USBEvent?)])
    func events(_ action: String, _ subsystem: String, _ kind: String, _ expected: USBEvent?) {
      let message = Self.message(
        ["ACTION=\(action)", "DEVPATH=/devices/x", "SUBSYSTEM=\(subsystem)", "DEVTYPE=\(kind)", "SEQNUM=1"])
      #expect(USBEvent(message: message[...]) == expected)
      #expect(USBEvent(message: ([0, 0] + message).dropFirst(2)) == expected, "a slice")
    }

    @Test("ignores kernel messages and malformed ones, at every length")
    func malformed() {
      let properties = ["ACTION=add", "SUBSYSTEM=usb", "DEVTYPE=usb_device"]
      #expect(USBEvent(message: Self.message(properties, magic: 0xFEED_CAFF)[...]) == nil)
      let kernel = "add@/devices/x\0ACTION=add\0SUBSYSTEM=usb\0DEVTYPE=usb_device\0"
      #expect(USBEvent(message: Array(kernel.utf8)[...]) == nil)
      let whole = Self.message(properties)
      for length in 0..<whole.count { #expect(USBEvent(message: whole.prefix(length)) == nil) }
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<5_000 {
        var message = whole
        for _ in 0..<4 { message[Int.random(in: 12..<24, using: &generator)] = .random(in: 0...255, using: &generator) }
        _ = USBEvent(message: message[...])
      }
    }

    /// The sockets of this process that receive the messages of udevd.
    private static func eventSockets() throws -> Int {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let own = Set(
        descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
      return try String(contentsOfFile: "/proc/self/net/netlink", encoding: .utf8).split(separator: "\n").count {
        let fields = $0.split(separator: " ")
        return fields.count > 9 && fields[1] == "15" && fields[3] == "00000002" && own.contains("socket:[\(fields[9])]")
      }
    }

    // In a separate process, since other tests receive events at the same time.
    @Test("opens the socket for events, and closes it when the consumer stops listening")
    func socket() async throws {
      await #expect(processExitsWith: .success) {
        guard try USBDeviceTests.eventSockets() == 0 else { exit(1) }
        var stream = USBEvent.stream()
        guard stream != nil, try USBDeviceTests.eventSockets() == 1 else { exit(2) }
        stream = nil
        try await eventually { try USBDeviceTests.eventSockets() == 0 }
        guard try USBDeviceTests.eventSockets() == 0 else { exit(3) }
      }
    }
  }
}
