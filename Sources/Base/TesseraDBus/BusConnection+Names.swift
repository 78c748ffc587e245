/// Queries to the bus about names (D-Bus specification, "Message Bus Messages").
extension BusConnection {
  /// The unique name of the owner of a well-known name; nil if it has no owner.
  package func owner(
    of name: String, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> String? {
    let call = try busCall("GetNameOwner")
    try call.append(name)
    do {
      return try self.call(call, within: limit, interruption: interruption).readString()
    } catch {
      guard error == .remote(name: "org.freedesktop.DBus.Error.NameHasNoOwner") else { throw error }
      return nil
    }
  }

  /// Whether the bus can start a service for this name.
  package func isActivatable(
    _ name: String, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> Bool {
    try call(busCall("ListActivatableNames"), within: limit, interruption: interruption).readStrings().contains(name)
  }

  /// The unique name of the owner of a well-known name. The service is started if it does not run.
  ///
  /// - Throws: `BusError.remote` with `org.freedesktop.DBus.Error.ServiceUnknown` if there is no such service, or with
  ///   another name if it could not be started.
  package func activatedOwner(
    of name: String, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> String {
    if let owner = try owner(of: name, within: limit, interruption: interruption) { return owner }
    let start = try busCall("StartServiceByName")
    try start.append(name)
    try start.append(UInt32(0))
    _ = try call(start, within: limit, interruption: interruption)
    guard let owner = try owner(of: name, within: limit, interruption: interruption) else { throw .peerVanished }
    return owner
  }

  private func busCall(_ method: String) throws(BusError) -> BusMessage {
    try methodCall(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", method: method)
  }
}
