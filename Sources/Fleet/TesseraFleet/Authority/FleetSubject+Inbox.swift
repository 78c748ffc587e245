extension FleetSubject {
  /// Whether an inspector may answer to this subject: whether it is an inbox of the desk. The server does not check the
  /// reply subject of a request: without this check an inspector would send its answer wherever a desk wants it.
  ///
  /// - Parameter desk: the desk in the subject of the request, which the server enforces.
  package static func isInbox(_ reply: String, of desk: DeskName) -> Bool {
    let prefix = inbox(desk.text) + "."
    guard reply.hasPrefix(prefix), reply.utf8.count <= 256 else { return false }
    return reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { token in
      !token.isEmpty
        && token.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">") }
    }
  }
}
