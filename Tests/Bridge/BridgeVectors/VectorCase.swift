import Foundation
public import TesseraBridge
import TesseraCryptography
public import TestSupport

/// One case of the vectors, which runs through a transport.
public struct VectorCase: Sendable {
  let vector: Vector
  private let biometric: (any BiometricProvider)?

  /// - Parameter biometric: replaces the scripted provider.
  public init(_ vector: Vector, biometric: (any BiometricProvider)? = nil) {
    self.vector = vector
    self.biometric = biometric
  }

  /// Runs the case.
  ///
  /// - Returns: the mismatches; empty if the case passes.
  public func mismatches(through transport: any BridgeTransport) async throws -> [String] {
    let environment = try VectorEnvironment(given: vector["given"], biometric: biometric)
    let isTrusted = !vector["given"]["trustedSource"].isPresent || vector["given"]["trustedSource"].flag
    guard let connection = try await transport.open(environment.router, isTrusted: isTrusted) else {
      return vector["expect"]["response"].isPresent ? ["the transport did not open"] : []
    }
    let client = VectorClient(connection)
    let mismatches = try await mismatches(environment, client, isTrusted: isTrusted)
    await client.close()
    return mismatches
  }

  private func mismatches(_ environment: VectorEnvironment, _ client: VectorClient, isTrusted: Bool) async throws
    -> [String]
  {
    try await environment.fill(through: client)
    let keysBefore = try await environment.publicKeys()
    let text = vector["sendRaw"].isPresent ? vector["sendRaw"].text : try vector["send"].json.text
    guard vector["expect"]["response"].isPresent else {
      return try await silence(client, after: text, isTrusted: isTrusted)
    }
    let earlier = client.messages.count
    let answer = try await answer(environment, client, text)
    let messages = client.messages.dropFirst(earlier)
    let events = messages.prefix { $0 != answer }.filter { $0["type"] == "event" }

    var found: [String] = []
    if let mismatch = Pattern(vector["expect"]["response"], signer: keysBefore.first).mismatch(answer) {
      found.append(mismatch)
    }
    if messages.count(where: { $0["requestId"] == answer["requestId"] }) != 1 { found.append("more than one response") }
    if vector["expect"]["events"].isPresent {
      found += Self.compare("events", vector["expect"]["events"].list, events)
    }
    if vector["expect"]["host"].isPresent {
      let count = vector["expect"]["host"].list.count
      if count == 0 {
        try await client.ask("lifecycle.ready")
      } else {
        await environment.host.wait(for: count)
      }
    }
    return found + (try await mismatchedEffects(environment, keysBefore: keysBefore))
  }

  /// Compares what the case did to the host, the devices and the keys with what it should have done.
  ///
  /// - Parameter keysBefore: the keys before the request.
  func mismatchedEffects(_ environment: VectorEnvironment, keysBefore: [P256PublicKey]) async throws -> [String] {
    var found: [String] = []
    if vector["expect"]["host"].isPresent {
      found += Self.compare("host", vector["expect"]["host"].list, await environment.host.calls)
    }
    if vector.id.hasPrefix("haptic."), environment.haptics.calls != (Self.hapticCalls[vector.id].map { [$0] } ?? []) {
      found.append("the haptic provider received \(environment.haptics.calls)")
    }
    if vector.id == "crypto.generateKey.replacesExisting", try await environment.publicKeys() == keysBefore {
      found.append("the key was not replaced")
    }
    return found
  }

  /// Checks that a dropped message has no response: only two later requests are answered.
  private func silence(_ client: VectorClient, after text: String, isTrusted: Bool) async throws -> [String] {
    try await client.send(text)
    let probes = isTrusted ? ["probe-1", "probe-2"] : []
    for probe in probes { try await client.ask("lifecycle.ready", id: probe) }
    if !isTrusted { try await Task.sleep(for: .milliseconds(50)) }
    let others = client.messages.filter { !probes.contains($0["requestId"]?.stringValue ?? "") }
    return others.isEmpty ? [] : ["unexpected messages: \(others.map(\.text))"]
  }

  private func answer(_ environment: VectorEnvironment, _ client: VectorClient, _ text: String) async throws
    -> JSONValue
  {
    let id = vector["send"].id
    if vector["given"]["nfc"]["scanInProgress"].flag {
      // One scan waits for its document before the tested one starts.
      try await client.send(text.replacing(id, with: "first"))
      await environment.nfc.isWaiting.wait()
      let answer = try await client.ask(again: text, id: id)
      try await client.ask("nfc.cancelScan")
      return answer
    }
    try await client.send(text)
    if vector["given"]["nfc"]["cancelAfterMs"].isPresent {
      await environment.nfc.isWaiting.wait()
      try await client.ask("nfc.cancelScan", ["sessionId": "sess-1"])
    }
    if vector["given"]["camera"]["cancelledByStopCamera"].flag {
      await environment.camera.isWaiting.wait()
      try await client.ask("camera.stopCamera")
    }
    return try await client.answer(to: id)
  }

  static func compare(_ what: String, _ expected: [Vector], _ actual: [JSONValue]) -> [String] {
    guard expected.count == actual.count else {
      return ["\(what): \(expected.count) expected, found \(actual.map(\.text))"]
    }
    return zip(expected, actual).compactMap { pattern, value in
      Pattern(pattern).mismatch(value).map { "\(what): \($0)" }
    }
  }

  /// The provider call of each haptic vector; none for other vectors.
  static let hapticCalls = [
    "haptic.trigger.light": "impact light", "haptic.trigger.medium": "impact medium",
    "haptic.trigger.heavy": "impact heavy", "haptic.trigger.success": "notification success",
    "haptic.trigger.warning": "notification warning", "haptic.trigger.error": "notification error",
    "haptic.trigger.selection": "selection", "haptic.trigger.impact": "impact medium",
    "haptic.trigger.impactLight": "impact light", "haptic.trigger.impactMedium": "impact medium",
    "haptic.trigger.impactHeavy": "impact heavy", "haptic.trigger.notificationSuccess": "notification success",
    "haptic.trigger.notificationWarning": "notification warning",
    "haptic.trigger.notificationError": "notification error", "haptic.trigger.soft": "impact soft",
    "haptic.trigger.rigid": "impact rigid", "haptic.trigger.somethingElse": "impact medium",
    "haptic.trigger.default": "selection", "haptic.impact.light": "impact light",
    "haptic.impact.medium": "impact medium", "haptic.impact.heavy": "impact heavy",
    "haptic.impact.default": "impact medium", "haptic.notification.success": "notification success",
    "haptic.notification.warning": "notification warning", "haptic.notification.error": "notification error",
    "haptic.notification.default": "notification success", "haptic.selection": "selection",
  ]
}

extension VectorClient {
  fileprivate func ask(again text: String, id: String) async throws -> JSONValue {
    try await send(text)
    return try await answer(to: id)
  }
}
