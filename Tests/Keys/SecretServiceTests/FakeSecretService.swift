import CTesseraSystemd
import Foundation
import TesseraThreads
import TestSupport

@testable import TesseraDBus

/// A Secret Service with configurable misbehaviour, on a dedicated thread: for prompts, which gnome-keyring shows on a
/// desktop only, and for hostile answers. It keeps one secret, in plain.
final class FakeSecretService: Sendable {
  /// How a prompt ends.
  enum PromptEnd: Sendable { case completed, dismissed, never, departure, wrongResult }

  enum Answer: Sendable {
    case body(@Sendable (BusMessage) throws -> Void)
    case error(String)
    case silence
    case departure
  }

  struct Script: Sendable {
    var isLocked = false
    var hasCollection = true
    var promptsForItems = false
    /// As gnome-keyring does with items without a schema, once it has read them back from its file.
    var addsSchema = false
    /// Those of the service's own in each item.
    var addedAttributes: [String: String] = [:]
    /// The answer to a session with encryption.
    var errorOfEncryption = "org.freedesktop.DBus.Error.NotSupported"
    var promptEnd = PromptEnd.completed
    /// Replies that replace the default ones, by method.
    var answers: [String: Answer] = [:]
  }

  fileprivate struct State {
    var script: Script
    var calls: [String] = []
    var label = ""
    var attributes: [String: String]?
    var secret: [UInt8] = []
    var isStopped = false
  }

  static let collection = "/org/freedesktop/secrets/collection/fake"
  static let item = collection + "/1"
  private let state: Locked<State>

  init(_ address: String, _ script: Script = Script()) throws {
    state = Locked(State(script: script))
    let bus = try Connection(address)
    let thread = Thread { [self] in run(bus) }
    thread.start()
  }

  /// The called methods, in order.
  var calls: [String] { state.withLock { $0.calls } }
  var secret: [UInt8] { state.withLock { $0.secret } }
  var label: String { state.withLock { $0.label } }

  func stop() { state.withLock { $0.isStopped = true } }

  /// `@unchecked Sendable`: one thread creates the object, and only one other thread uses it afterwards.
  private final class Connection: @unchecked Sendable {
    let bus: OpaquePointer

    init(_ address: String) throws {
      var bus: OpaquePointer?
      guard sd_bus_new(&bus) >= 0, let bus, sd_bus_set_address(bus, address) >= 0, sd_bus_set_bus_client(bus, 1) >= 0,
        sd_bus_start(bus) >= 0, sd_bus_request_name(bus, "org.freedesktop.secrets", 0) >= 0
      else { throw BusError.noBus }
      self.bus = bus
    }

    deinit { sd_bus_flush_close_unref(bus) }
  }

  private func run(_ connection: Connection) {
    while !state.withLock({ $0.isStopped }) {
      var pointer: OpaquePointer?
      guard sd_bus_process(connection.bus, &pointer) >= 0 else { return }
      guard let pointer else {
        sd_bus_wait(connection.bus, 20_000)
        continue
      }
      var type: UInt8 = 0
      sd_bus_message_get_type(pointer, &type)
      let message = BusMessage(owning: pointer)
      guard Int(type) == Int(SD_BUS_MESSAGE_METHOD_CALL), let member = sd_bus_message_get_member(pointer) else {
        continue
      }
      let method = String(cString: member)
      let path = String(cString: sd_bus_message_get_path(pointer))
      do {
        try handle(method, path, message, connection.bus)
      } catch {
        send(.error("org.freedesktop.DBus.Error.InvalidArgs"), to: message, connection.bus)
      }
    }
  }

  private func handle(_ method: String, _ path: String, _ call: BusMessage, _ bus: OpaquePointer) throws {
    let answer = try state.withLock { state in
      state.calls.append(method)
      return try state.script.answers[method] ?? state.answer(method, path, call)
    }
    send(answer, to: call, bus)
    guard method == "Prompt" else { return }
    let end = state.withLock { $0.script.promptEnd }
    switch end {
    case .never: return
    case .departure: stop()
    case .completed, .dismissed, .wrongResult:
      state.withLock { if end == .completed { $0.script.isLocked = false } }
      var pointer: OpaquePointer?
      guard sd_bus_message_new_signal(bus, &pointer, path, "org.freedesktop.Secret.Prompt", "Completed") >= 0,
        let pointer
      else { return }
      let signal = BusMessage(owning: pointer)
      try signal.append(end == .dismissed)
      switch (end, path) {
      case (.wrongResult, _): try signal.append(variant: .uint32(7))
      case (_, "/prompt/unlock"): try signal.append(variant: .objectPaths([Self.collection, Self.item]))
      case (_, "/prompt/create"): try signal.append(variant: .objectPath(Self.collection))
      default: try signal.append(variant: .string(""))
      }
      sd_bus_send(bus, pointer, nil)
    }
  }

  private func send(_ answer: Answer, to call: BusMessage, _ bus: OpaquePointer) {
    var pointer: OpaquePointer?
    switch answer {
    case .silence: return
    case .departure: stop()
    case .error(let name):
      var error = sd_bus_error()
      sd_bus_error_set(&error, name, "a text that must not be quoted")
      defer { sd_bus_error_free(&error) }
      guard sd_bus_message_new_method_error(call.pointer, &pointer, &error) >= 0, let pointer else { return }
      sd_bus_send(bus, pointer, nil)
      sd_bus_message_unref(pointer)
    case .body(let body):
      guard sd_bus_message_new_method_return(call.pointer, &pointer) >= 0, let pointer else { return }
      let reply = BusMessage(owning: pointer)
      try? body(reply)
      sd_bus_send(bus, pointer, nil)
    }
  }
}

extension FakeSecretService.State {
  /// The replies of a conforming service.
  fileprivate mutating func answer(_ method: String, _ path: String, _ call: BusMessage) throws
    -> FakeSecretService.Answer
  {
    let collection = FakeSecretService.collection
    let item = FakeSecretService.item
    switch method {
    case "OpenSession":
      guard try call.readString() == "plain" else { return .error(script.errorOfEncryption) }
      return .body {
        try $0.append(variant: .string(""))
        try $0.append(objectPath: "/session/1")
      }
    case "ReadAlias":
      let path = script.hasCollection ? collection : "/"
      return .body { try $0.append(objectPath: path) }
    case "CreateCollection":
      return .body {
        try $0.append(objectPath: "/")
        try $0.append(objectPath: "/prompt/create")
      }
    case "Unlock":
      let objects = script.isLocked ? [] : try call.readObjectPaths()
      let prompt = script.isLocked ? "/prompt/unlock" : "/"
      return .body {
        try $0.append(objectPaths: objects)
        try $0.append(objectPath: prompt)
      }
    case "SearchItems":
      let wanted = try call.readStringDictionary()
      let isFound = attributes.map { own in wanted.allSatisfy { own[$0.key] == $0.value } } ?? false
      let found = isFound ? [item] : []
      let isLocked = script.isLocked
      return .body {
        try $0.append(objectPaths: isLocked && path != collection ? [] : found)
        if path != collection { try $0.append(objectPaths: isLocked ? found : []) }
      }
    case "CreateItem":
      let properties = try call.readVariantDictionary()
      guard case .stringDictionary(let given)? = properties["org.freedesktop.Secret.Item.Attributes"],
        case .string(let text)? = properties["org.freedesktop.Secret.Item.Label"]
      else { return .error("org.freedesktop.DBus.Error.InvalidArgs") }
      (attributes, label) = (given, text)
      secret = try Self.secret(of: call)
      let isPrompting = script.promptsForItems
      return .body {
        try $0.append(objectPath: isPrompting ? "/" : item)
        try $0.append(objectPath: isPrompting ? "/prompt/item" : "/")
      }
    case "SetSecret":
      secret = try Self.secret(of: call)
      return .body { _ in }
    case "GetSecret":
      let secret = secret
      return .body { reply in try Self.append(secret, session: "/session/1", to: reply) }
    case "Get":
      var attributes = (attributes ?? [:]).merging(script.addedAttributes) { own, _ in own }
      if script.addsSchema { attributes["xdg:schema"] = "org.freedesktop.Secret.Generic" }
      return .body { [attributes] in try $0.append(variant: .stringDictionary(attributes)) }
    case "Set":
      _ = (try call.readString(), try call.readString())
      guard case .string(let text) = try call.readVariant() else {
        return .error("org.freedesktop.DBus.Error.InvalidArgs")
      }
      label = text
      return .body { _ in }
    case "Delete":
      attributes = nil
      let isPrompting = script.promptsForItems
      return .body { try $0.append(objectPath: isPrompting ? "/prompt/item" : "/") }
    default: return .body { _ in }
    }
  }

  private static func secret(of call: BusMessage) throws -> [UInt8] {
    try call.readStructure("oayays") { () throws(BusError) in
      _ = (try call.readObjectPath(), try call.readBytes() as [UInt8])
      let value: [UInt8] = try call.readBytes()
      _ = try call.readString()
      return value
    }
  }

  fileprivate static func append(_ secret: [UInt8], session: String, to reply: BusMessage) throws {
    try reply.appendStructure("oayays") { () throws(BusError) in
      try reply.append(objectPath: session)
      try reply.append(bytes: [])
      try reply.append(bytes: secret)
      try reply.append("text/plain")
    }
  }
}
