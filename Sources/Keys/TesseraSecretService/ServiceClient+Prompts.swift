import TesseraDBus

extension ServiceClient {
  /// Unlocks collections or items, with a prompt if the service requires one.
  ///
  /// - Throws: `SecretServiceError.promptDismissed`, `.promptTimedOut`, `.locked`.
  func unlock(_ objects: [String], _ session: ServiceSession) throws {
    guard !objects.isEmpty else { return }
    let call = try methodCall(session, Names.path, Names.serviceInterface, "Unlock")
    try call.append(objectPaths: objects)
    let reply = try callWithPrompt(call)
    var unlocked = Set(try reply.readObjectPaths())
    let prompt = try reply.readObjectPath()
    if prompt != Names.none {
      guard case .objectPaths(let paths) = try complete(prompt, session) else {
        throw BusError.malformed("the result of a prompt")
      }
      unlocked.formUnion(paths)
    }
    guard unlocked.isSuperset(of: objects) else { throw SecretServiceError.locked }
  }

  /// Shows a prompt and waits for its result.
  func complete(_ prompt: String, _ session: ServiceSession) throws -> BusValue {
    let completed = try bus.subscribe(
      to: "Completed", interface: Names.promptInterface, path: prompt, from: session.owner)
    let call = try methodCall(session, prompt, Names.promptInterface, "Prompt")
    try call.append("")  // no parent window
    do {
      _ = try self.call(call)
      let signal = try bus.wait(for: completed, within: limits.prompt, interruption: interruption)
      let isDismissed = try signal.readBool()
      let result = try signal.readVariant()
      guard isDismissed else { return result }
    } catch {
      guard error == .timedOut || error == .interrupted else { throw error }
      dismiss(prompt, session)
      throw error == .timedOut ? SecretServiceError.promptTimedOut : error
    }
    throw try lacksPrompter(session) ? SecretServiceError.locked : .promptDismissed
  }

  /// Dismisses a prompt. Errors are ignored.
  private func dismiss(_ prompt: String, _ session: ServiceSession) {
    guard let call = try? methodCall(session, prompt, Names.promptInterface, "Dismiss") else { return }
    _ = try? bus.call(call, within: .seconds(1))
  }

  /// Whether this is gnome-keyring without the program that shows its prompts, as on a machine without a desktop. It
  /// then reports that the prompt was dismissed.
  private func lacksPrompter(_ session: ServiceSession) throws(BusError) -> Bool {
    let prompter = "org.gnome.keyring.SystemPrompter"
    guard try owner(of: "org.gnome.keyring") == session.owner, try owner(of: prompter) == nil else { return false }
    return try !bus.isActivatable(prompter, within: limits.call, interruption: interruption)
  }

  private func owner(of name: String) throws(BusError) -> String? {
    try bus.owner(of: name, within: limits.call, interruption: interruption)
  }
}
