internal import TesseraJSON

/// The claims of a fleet whose users log in with JWTs (docs.nats.io, "JWT Authentication"; version 2): one object for each
/// account, with the members of the object `nats` in the JWT of the account, and in those of its users.
///
/// In an import the other account has its name, which the operator replaces by its public key.
extension FleetAccounts {
  var claims: JSONValue {
    var accounts = JSONObject()
    for account in all {
      var users = JSONObject()
      for user in account.users { users[user.name] = user.permissions.claims }
      accounts[account.name] = .object(["account": account.claims, "users": .object(users)])
    }
    return .object(accounts)
  }
}

extension FleetAccounts.Account {
  fileprivate var claims: JSONValue {
    let streams: JSONValue = .integer(hasStreams ? -1 : 0)
    return .object([
      "type": "account", "version": 2,
      "limits": .object([
        "conn": .integer(Int64(limits?.connections ?? -1)), "subs": .integer(Int64(limits?.subscriptions ?? -1)),
        "data": -1, "payload": -1, "leaf": 0, "imports": -1, "exports": -1, "wildcards": true,
        "disk_storage": streams, "mem_storage": 0, "streams": streams, "consumer": streams,
      ]),
      "exports": .array(exports.map { .object(["subject": .string($0.subject), "type": "stream"]) }),
      "imports": .array(
        imports.map {
          .object(["subject": .string($0.subject), "account": .string($0.account), "type": "stream"])
        }),
    ])
  }
}

extension FleetAccounts.Permissions {
  fileprivate var claims: JSONValue {
    func list(_ subjects: [String]) -> JSONValue { .array(subjects.map(JSONValue.string)) }
    var claims: JSONObject = [
      "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
      "pub": .object(refused.isEmpty ? ["allow": list(publish)] : ["allow": list(publish), "deny": list(refused)]),
      "sub": .object(["allow": list(subscribe)]),
    ]
    if let responseExpiry {
      // In nanoseconds.
      let expiry = Int64(responseExpiry / .nanoseconds(1))
      claims["resp"] = .object(["max": 1, "ttl": .integer(expiry)])
    }
    return .object(claims)
  }
}
