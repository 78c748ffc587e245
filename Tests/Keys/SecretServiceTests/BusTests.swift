import CTesseraSystemd
import Foundation
import TestSupport
import Testing

@testable import TesseraDBus

extension RealPrograms {
  @Suite(
    "D-Bus messages and calls", .serialized,
    .enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct BusTests {
    /// A message that is not sent: written, sealed and read again.
    func message(
      on bus: BusConnection, _ write: (BusMessage) throws -> Void
    ) throws -> BusMessage {
      let message = try bus.methodCall(to: ":1.0", path: "/", interface: "a.b", method: "C")
      try write(message)
      #expect(sd_bus_message_seal(message.pointer, 1, 0) >= 0)
      return message
    }

    static let values: [BusValue] = [
      .boolean(true), .boolean(false), .byte(0xFE), .int16(-2), .uint16(.max), .int32(.min), .uint32(.max),
      .int64(.min),
      .uint64(.max), .double(-0.5), .string("ä€\u{1F511}"), .string(""), .objectPath("/a/b_1"), .bytes([]),
      .bytes([0, 1, 255]), .strings([]), .strings(["", "b"]), .objectPaths(["/", "/a"]), .stringDictionary([:]),
      .stringDictionary(["a": "1", "": "2"]),
    ]

    @Test("reads every value that was written to a variant or a dictionary")
    func values() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      let bus = try BusConnection.open(.at(lab.address))
      for value in Self.values {
        let message = try message(on: bus) {
          try $0.append(variant: value)
          try $0.append(["key": value, "other": .byte(1)])
          try $0.append("end")
        }
        #expect(try message.readVariant() == value)
        #expect(try message.readVariantDictionary() == ["key": value, "other": .byte(1)])
        #expect(try message.readString() == "end")
      }
    }

    @Test("skips a variant of an unknown type and reads the values after it")
    func foreignVariant() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      let bus = try BusConnection.open(.at(lab.address))
      let message = try message(on: bus) {
        #expect(sd_bus_message_open_container($0.pointer, BusType.variant, "a(sv)") >= 0)
        try $0.appendArray(of: "(sv)") {}
        #expect(sd_bus_message_close_container($0.pointer) >= 0)
        try $0.append("end")
      }
      #expect(try message.readVariant() == .other(signature: "a(sv)"))
      #expect(try message.readString() == "end")
      #expect(throws: BusError.invalidArgument("A value of a foreign type")) {
        try self.message(on: bus) { try $0.append(variant: .other(signature: "h")) }
      }
    }

    @Test("throws when it reads another type or beyond the end")
    func wrongTypes() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      let bus = try BusConnection.open(.at(lab.address))
      let readers: [(String, (BusMessage) throws -> Void)] = [
        ("s", { _ = try $0.readString() }), ("o", { _ = try $0.readObjectPath() }), ("b", { _ = try $0.readBool() }),
        ("t", { _ = try $0.readUInt64() }), ("ay", { _ = try $0.readBytes() as [UInt8] }),
        ("as", { _ = try $0.readStrings() }), ("a{ss}", { _ = try $0.readStringDictionary() }),
        ("a{sv}", { _ = try $0.readVariantDictionary() }), ("v", { _ = try $0.readVariant() }),
        ("(s)", { message in _ = try message.readStructure("s") { () throws(BusError) in try message.readString() } }),
      ]
      for (type, read) in readers {
        let empty = try message(on: bus) { _ in }
        let other = try message(on: bus) { try $0.append(Int16(1)) }
        for message in [empty, other] {
          let error = #expect(throws: BusError.self, "\(type)") { try read(message) }
          guard case .malformed = error else {
            Issue.record("\(type): \(String(describing: error))")
            continue
          }
        }
      }
      // A structure that is left before its end.
      let long = try message(on: bus) { message in
        try message.appendStructure("ss") { () throws(BusError) in
          try message.append("a")
          try message.append("b")
        }
      }
      #expect(throws: BusError.self) {
        try long.readStructure("ss") { () throws(BusError) in try long.readString() }
      }
    }

    @Test("rejects invalid arguments before they are sent")
    func badArguments() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      let bus = try BusConnection.open(.at(lab.address))
      for (destination, path, interface, method) in [
        ("no name", "/", "a.b", "C"), ("a.b", "no/path", "a.b", "C"), ("a.b", "/", "b", "C"),
        ("a.b", "/", "a.b", "C.d"),
        ("a.b\0", "/", "a.b", "C"),
      ] {
        #expect(throws: BusError.self) {
          try bus.methodCall(to: destination, path: path, interface: interface, method: method)
        }
      }
      for write in [
        { try $0.append("a\0b") }, { try $0.append(objectPath: "a") }, { try $0.append(["a\0": "b"]) },
        { message in try message.appendStructure("no signature") {} },
      ] as [(BusMessage) throws -> Void] {
        #expect(throws: BusError.self) { try message(on: bus, write) }
      }
      #expect(throws: BusError.self) { try bus.subscribe(to: "A", interface: "a.b", path: "/", from: "a.b") }
      #expect(throws: BusError.self) { try bus.subscribe(to: "A", interface: "a.b", path: "/'", from: ":1.1") }
    }

    @Test("calls the bus, and reports the name of a D-Bus error")
    func calls() async throws {
      let lab = try await SecretServiceLab(hasKeyring: false)
      let bus = try BusConnection.open(.at(lab.address))
      let call = { (method: String) in
        try bus.methodCall(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", method: method)
      }
      #expect(try bus.call(call("ListNames")).readStrings().contains("org.freedesktop.DBus"))
      #expect(try bus.owner(of: "org.freedesktop.DBus") == "org.freedesktop.DBus")
      #expect(try bus.owner(of: "a.b") == nil)
      #expect(try !bus.isActivatable("a.b"))
      #expect(throws: BusError.remote(name: "org.freedesktop.DBus.Error.ServiceUnknown")) {
        try bus.activatedOwner(of: "a.b")
      }
      #expect(throws: BusError.remote(name: "org.freedesktop.DBus.Error.UnknownMethod")) { try bus.call(call("No")) }
      let interruption = try BusInterruption()
      interruption.interrupt()
      #expect(throws: BusError.interrupted) { try bus.call(call("ListNames"), interruption: interruption) }
      #expect(throws: BusError.timedOut) { try bus.call(call("ListNames"), within: .zero) }
      // The late replies to the two calls do not affect the next call.
      #expect(try bus.call(call("GetId")).readString().count == 32)
      await lab.stopBus()
      #expect(throws: BusError.disconnected) { try bus.call(call("GetId")) }
      #expect(throws: BusError.disconnected) { try bus.call(call("GetId")) }
      #expect(!bus.isOpen)
      #expect(throws: BusError.noBus) { try BusConnection.open(.at(lab.address)) }
    }
  }
}
