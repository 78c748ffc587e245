import TesseraBridge
import TesseraThreads

/// The grants that apply now. The user can change them while the service runs.
final class CurrentGrants: Sendable {
  private let grants: Locked<Grants>

  init(_ grants: Grants) { self.grants = Locked(grants) }

  /// - Returns: whether they are other ones.
  func replace(with new: Grants) -> Bool {
    grants.withLock { grants in
      defer { grants = new }
      return grants != new
    }
  }

  func insert(_ grant: Grant) { grants.withLock { $0.insert(grant) } }

  func answer(to question: PermissionQuestion) -> PermissionAnswer? { grants.withLock { $0.answer(to: question) } }

  func knows(_ caller: Caller) -> Bool { grants.withLock { $0.knows(caller) } }

  func decision(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Grants.Decision {
    grants.withLock { $0.decision(caller, domain, method) }
  }
}

/// The grants of a connection: the current ones, and those of the service's own page, which a denial of the user
/// outweighs.
struct ConnectionGrants: Sendable {
  let current: CurrentGrants
  /// Of web origins.
  var own = Grants()
  /// Whether the user is asked about pages of this machine, which may therefore connect.
  var isAsking = false

  func knows(_ caller: Caller) -> Bool { hasGrant(caller) || isAsking && AskedGrants.concerns(caller) }

  func hasGrant(_ caller: Caller) -> Bool { current.knows(caller) || own.knows(caller) }

  func allows(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Bool {
    switch current.decision(caller, domain, method) {
    case .granted: true
    case .denied: false
    // Local programs that a grant limits have no more than it says.
    case .undecided: caller != .local && own.allows(caller, domain, method)
    }
  }
}
