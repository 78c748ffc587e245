/// What the bus itself knows about names ("Message Bus Messages" of the D-Bus specification).
extension BusConnection {
  /// The unique name behind a well-known one; nil when nobody has it now.
  public func owner(
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

  /// Whether the bus would start somebody for this name.
  public func isActivatable(
    _ name: String, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> Bool {
    try call(busCall("ListActivatableNames"), within: limit, interruption: interruption).readStrings().contains(name)
  }

  /// The unique name behind a well-known one, whose service is started where it does not run yet.
  ///
  /// - Throws: `BusError.remote` with `org.freedesktop.DBus.Error.ServiceUnknown` when there is none, or with another
  ///   name when it could not be started.
  public func activatedOwner(
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
