import Glibc
import TesseraCore
import TesseraThreads

/// Checks one server of a fleet by what it says of itself when a client connects. Sends nothing and needs no login.
struct FleetServerCheck: DiagnosticCheck {
  let title: String
  private let place: String

  init(_ place: String) {
    self.place = place
    title = "Fleet server \(PrintableText.of(place).prefix(60))"
  }

  /// The parts of a read have half a megabyte; in base64 a third more.
  private static let leastPayload = 1 << 20
  /// In milliseconds, for the connection and again for the line.
  private static let limit: Int32 = 2000

  func findings() async -> [Finding] {
    guard let address = FleetAddress(place) else {
      return [
        problem(
          "fleet.address", "This is no address of a server.", remedy: "Use nats://host:4222 or tls://host:4222.")
      ]
    }
    let thread = BlockingWork(name: "doctor-fleet")
    do {
      let line = try await thread.run {
        try NetworkConnection(host: address.host, port: address.port, milliseconds: Self.limit)
          .line(upTo: ServerGreeting.maximumLength, milliseconds: Self.limit)
      }
      guard let greeting = ServerGreeting(line: line) else { return [foreign] }
      return findings(greeting, address)
    } catch let problem as NetworkConnection.Problem {
      return [finding(for: problem, address)]
    } catch {
      return [foreign]
    }
  }

  private func findings(_ greeting: ServerGreeting, _ address: FleetAddress) -> [Finding] {
    let problems = [
      version(greeting), streams(greeting), login(greeting), encryption(greeting, address), size(greeting),
    ]
    .compactMap { $0 }
    guard problems.isEmpty else { return problems }
    let name = greeting.name.isEmpty ? "" : " (\(PrintableText.of(greeting.name).prefix(60)))"
    let encryption = greeting.offersTLS ? "and TLS" : "and no TLS, on this machine only"
    return [
      ok(
        "fleet.server",
        "NATS \(PrintableText.of(greeting.version).prefix(20))\(name) with JetStream, logins \(encryption).")
    ]
  }

  // MARK: - What the server says

  private func version(_ greeting: ServerGreeting) -> Finding? {
    guard !greeting.isAtLeast(2, 9) else { return nil }
    return problem(
      "fleet.version",
      "The server has the version \(PrintableText.of(greeting.version).prefix(20)) of NATS; 2.9 is needed.",
      remedy: "Install a newer nats-server on its machine.", command: Self.installation)
  }

  private func streams(_ greeting: ServerGreeting) -> Finding? {
    guard !greeting.hasJetStream else { return nil }
    return problem(
      "fleet.jetstream", "The server has no JetStream, so there is no place for records and country certificates.",
      remedy: "Start it with a configuration that tessera fleet configure has written.", command: Self.configuration)
  }

  private func login(_ greeting: ServerGreeting) -> Finding? {
    guard !greeting.requiresLogin else { return nil }
    return problem(
      "fleet.login", "The server asks for no login: whoever reaches it sees the documents and can forge verdicts.",
      remedy: "Start it with a configuration that tessera fleet configure has written.", command: Self.configuration)
  }

  private func encryption(_ greeting: ServerGreeting, _ address: FleetAddress) -> Finding? {
    if address.isEncrypted {
      guard !greeting.offersTLS else { return nil }
      return problem(
        "fleet.tls", "The address begins with tls://, and the server has no certificate.",
        remedy:
          "Configure one (tessera fleet configure --tls-certificate), or use nats:// on the machine of the server.")
    }
    if greeting.requiresTLS {
      return problem(
        "fleet.tls", "The server requires TLS, and the address begins with nats://.",
        remedy: "Use tls://\(Shell.word(address.host)):\(address.port).")
    }
    guard !address.isLoopback else { return nil }
    return problem(
      "fleet.plain", "The connection is not encrypted: the network sees the documents.",
      remedy: "Configure a certificate (tessera fleet configure --tls-certificate), and use tls://.")
  }

  private func size(_ greeting: ServerGreeting) -> Finding? {
    guard let limit = greeting.maximumPayload, limit < Self.leastPayload else { return nil }
    return problem(
      "fleet.payload", "The server takes messages of at most \(limit) bytes; a read needs \(Self.leastPayload).",
      remedy: "Set max_payload to 1MB in its configuration.")
  }

  // MARK: - No greeting

  private func finding(for problem: NetworkConnection.Problem, _ address: FleetAddress) -> Finding {
    switch problem {
    case .unknownHost:
      self.problem(
        "fleet.host", "The name \(address.host) has no address.", remedy: "Check the name, and the name servers.",
        command: "getent hosts \(Shell.word(address.host))")
    case .refused:
      self.problem(
        "fleet.refused", "Nothing listens at port \(address.port).", remedy: "Start the server on its machine.",
        command: "nats-server -c nats.conf")
    case .silent:
      self.problem(
        "fleet.silent", "No server has answered in time.",
        remedy: "Check that the machine runs, and that firewalls permit port \(address.port).")
    case .failed(let code):
      self.problem(
        "fleet.network", "The connection fails: \(String(cString: strerror(code))).", remedy: "Check the network.",
        command: "ip route get \(Shell.word(address.host))")
    }
  }

  private var foreign: Finding {
    problem(
      "fleet.foreign", "What listens there is no NATS server, or one that begins with TLS at once.",
      remedy: "Check the port, and remove handshake_first from the server's configuration.")
  }

  var timeoutFinding: Finding {
    problem(
      "fleet.silent", "No server has answered in time.", remedy: "Check the name servers and the network.")
  }

  private static let installation = RootCommand.line([.install(["nats-server"])])
  private static let configuration = "tessera fleet configure --help"
}
