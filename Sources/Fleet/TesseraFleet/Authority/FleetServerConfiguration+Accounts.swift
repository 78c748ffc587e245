extension FleetServerConfiguration {
  /// The account of the inspectors, the streams and the administrator.
  package static let inspectorsAccount = "CORE"

  /// The account of a desk.
  package static func account(ofDesk name: String) -> String { "DESK_\(name)" }

  func accounts() throws -> String {
    var settings = ServerSettings()
    settings.comment("Written by tessera fleet configure. After a change: nats-server --signal reload, and see its log")
    try settings.set("system_account", "SYS")
    try settings.block("accounts") { accounts in
      try accounts.block("SYS") { try $0.blocks("users", [system]) { try $0.set("nkey", $1.text) } }
      for account in fleetAccounts.all {
        try accounts.block(account.name) { try write(account, to: &$0) }
      }
    }
    return settings.text
  }

  private func write(_ account: FleetAccounts.Account, to block: inout ServerSettings) throws {
    if account.hasStreams { try block.set("jetstream", "enabled") }
    if let limits = account.limits {
      block.block("limits") {
        $0.set("max_connections", limits.connections)
        $0.set("max_subscriptions", limits.subscriptions)
      }
    }
    let keys = keys
    try block.blocks("users", account.users) { user, account in
      guard let key = keys[account.name] else { throw FleetAuthorityError.badName(account.name) }
      try user.set("nkey", key.text)
      try user.block("permissions") { try Self.write(account.permissions, to: &$0) }
    }
    try block.list("exports", account.exports) {
      "{ stream: \(try Self.quoted($0.subject)), accounts: [\(try Self.quoted($0.account))] }"
    }
    try block.list("imports", account.imports) {
      "{ stream: { account: \(try Self.quoted($0.account)), subject: \(try Self.quoted($0.subject)) } }"
    }
  }

  private static func write(_ permissions: FleetAccounts.Permissions, to block: inout ServerSettings) throws {
    try block.block("publish") {
      try $0.set("allow", permissions.publish)
      if !permissions.refused.isEmpty { try $0.set("deny", permissions.refused) }
    }
    try block.block("subscribe") { try $0.set("allow", permissions.subscribe) }
    if let expiry = permissions.responseExpiry {
      try block.block("allow_responses") {
        $0.set("max", 1)
        try $0.set("expires", "\(expiry.components.seconds)s")
      }
    }
  }

  /// The keys of all users of the fleet's accounts, by their names, which differ.
  private var keys: [String: NKeyPublicKey] {
    var keys = [Self.administratorName: administrator]
    for user in desks + inspectors { keys[user.name] = user.key }
    return keys
  }

  private static func quoted(_ value: String) throws -> String { try ServerSettings.quoted(value, "accounts") }
}
