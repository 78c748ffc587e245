import FoundationEssentials
import TesseraCommandLine
import TesseraDurableFiles
import TesseraFleet
import TesseraNATS
import TesseraService
import TesseraVerification
import TesseraVirtualChip

/// What the options of `inspect` name, read and checked before anything is connected.
struct InspectorSettings: Sendable {
  let fleet: FleetOptions
  /// The name in the permissions of the servers.
  let name: String
  let configuration: InspectorConfiguration
  let policy: RecordPolicy
  /// The absolute path of the folder of the spool.
  let spool: String
  /// Of the metrics; nil for none.
  let socket: String?
  private let trust: Trust

  private enum Trust: Sendable {
    case local
    case fixed(TrustMaterial)
    case bucket(TrustBucketRoots)
  }

  init(_ options: InspectOptions, environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
    fleet = options.fleet
    // Validation has required a name.
    name = options.name ?? ""
    var configuration = InspectorConfiguration()
    configuration.key = try options.key.accessKey()
    if let way = options.fleetReading { configuration.modes = [way == .remote ? .remote : .witnessed] }
    configuration.showsRemoteReports = options.deskSeesReport
    configuration.dataGroups = try options.dataGroups()
    if let reads = options.reads { configuration.limits.reads = reads }
    self.configuration = configuration
    policy = try options.policy.map { try RecordPolicy(contentsOf: $0) } ?? RecordPolicy()
    spool =
      URL(fileURLWithPath: options.spool ?? "\(UserFolders.data(environment))/fleet/\(name)").standardizedFileURL.path
    socket = try options.metrics ? SocketPath.metrics(ofInspector: name, environment) : nil
    if let profile = options.virtualProfile {
      let country = try SpecimenDocument(profile: ChipOptions.profile(profile)).country
      trust = .fixed(TrustMaterial(testCountry: country, provesAuthenticity: true))
    } else {
      trust =
        switch options.trust {
        case .local: .local
        case .bucket: .bucket(options.publishedRoots ? .published : try await Self.own(options.root))
        }
    }
  }

  private static func own(_ places: [String]) async throws -> TrustBucketRoots {
    let roots = try await TrustRoots(places)
    return .own(roots.certificates, fingerprints: roots.fingerprints)
  }

  /// Whether the store itself says what its content must lead to.
  var acceptsPublishedRoots: Bool {
    if case .bucket(.published) = trust { true } else { false }
  }

  /// Where the certificates come from.
  func source(_ connection: NATSConnection) -> FleetTrust {
    switch trust {
    case .local: .local(TrustStore())
    case .fixed(let material): .fixed(material)
    case .bucket(let roots):
      .bucket(TrustBucketFollower(connection, roots: roots, lastUsed: TrustStore(folder: "\(spool)/trust")))
    }
  }
}
