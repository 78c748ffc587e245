import FleetLab
import Foundation
import TesseraBridge
import TesseraCore
import TestSupport

@testable import TesseraFleet

/// How the users of a lab log in.
enum AuthorityLogin: CaseIterable {
  /// By an NKEY in the servers' configuration.
  case key
  /// By a JWT with the claims that Tessera writes.
  case token
}

/// The operator of NATS whose accounts and users have the claims that Tessera has written, and nothing else.
struct AuthorityOperator: Sendable {
  /// The JWTs of the users, by their names.
  let tokens: [String: String]

  /// Signs the claims, and puts the operator in the place of the accounts in the servers' configuration.
  init(_ folder: FleetServerFolder) throws {
    let file = URL(fileURLWithPath: "\(folder.path)/\(FleetServerConfiguration.claimsFile)")
    guard case .object(let claims) = try JSONValue(text: String(contentsOf: file, encoding: .utf8)) else {
      throw Failure(.internalError, "no claims")
    }
    let key = try NKey(.account)
    let name = LabOperator.operatorText(of: key.publicKey.text)
    var keys: [String: NKey] = [:]
    for account in claims.names + ["SYS"] { keys[account] = try NKey(.account) }
    var accounts: [String: String] = [:]
    var tokens: [String: String] = [:]
    for account in claims.members {
      guard let accountKey = keys[account.name], let own = account.value["account"],
        case .object(let users)? = account.value["users"]
      else { throw Failure(.internalError, "no account") }
      let text = accountKey.publicKey.text
      accounts[text] = try LabOperator.token(Self.replacing(own, by: keys).text, about: text, by: key, named: name)
      for user in users.members {
        let seed = try Self.seed(of: user.name, account.name, folder)
        guard let userKey = try NKeyFile(path: seed).read() else { throw Failure(.internalError, "no seed") }
        tokens[user.name] = try LabOperator.token(
          user.value.text, about: userKey.publicKey.text, by: accountKey, named: text)
      }
    }
    self.tokens = tokens
    let system = keys["SYS"]?.publicKey.text ?? ""
    accounts[system] = try LabOperator.token(
      #"{"type":"account","version":2,"limits":{"subs":-1,"conn":-1,"data":-1,"payload":-1,"wildcards":true}}"#,
      about: system, by: key, named: name)
    let operatorToken = try LabOperator.token(
      #"{"type":"operator","version":2,"system_account":"\#(system)"}"#, about: name, by: key, named: name)
    try """
    operator: \(operatorToken)
    system_account: \(system)
    resolver: MEMORY
    resolver_preload: {
    \(accounts.map { "  \($0.key): \($0.value)" }.joined(separator: "\n"))
    }

    """.write(
      toFile: "\(folder.path)/\(FleetServerConfiguration.accountsFile)", atomically: true, encoding: .utf8)
  }

  /// The claims with the public keys of the accounts in place of their names, as the operator writes them.
  private static func replacing(_ claims: JSONValue, by keys: [String: NKey]) throws -> JSONValue {
    guard case .object(var members) = claims, case .array(let imports)? = members["imports"] else {
      throw Failure(.internalError, "no imports")
    }
    members["imports"] = .array(
      try imports.map { link in
        guard case .object(var link) = link, let key = link["account"]?.stringValue.flatMap({ keys[$0] }) else {
          throw Failure(.internalError, "no account")
        }
        link["account"] = .string(key.publicKey.text)
        return .object(link)
      })
    return .object(members)
  }

  private static func seed(of user: String, _ account: String, _ folder: FleetServerFolder) throws -> String {
    guard account == FleetServerConfiguration.inspectorsAccount else { return folder.deskSeed(user) }
    return user == FleetServerConfiguration.administratorName ? folder.administratorSeed : folder.inspectorSeed(user)
  }
}
