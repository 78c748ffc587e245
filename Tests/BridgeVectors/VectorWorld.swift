public import Bridge
import Cryptography
import EncryptedStorage
import Failures
import Foundation
import KeyStores
import LinuxProviders
public import TestSupport

/// The router and what is behind it, as one vector's `given` wants it: real keys, secrets and documents in a folder of its own,
/// and scripted devices.
public final class VectorWorld: Sendable {
  public let router: MessageRouter
  public let registry = SdkProviderRegistry()
  public let host = RecordingHost()
  let given: Vector
  let nfc: ScriptedNfcProvider
  let camera: ScriptedCameraProvider
  let haptics: ScriptedHapticProvider
  private let folder: TemporaryFolder

  public init(given: Vector = .missing) throws {
    self.given = given
    folder = try TemporaryFolder()
    nfc = ScriptedNfcProvider(given: given["nfc"])
    camera = ScriptedCameraProvider(given: given["camera"])
    haptics = ScriptedHapticProvider(isThere: given["haptic"]["available"].flag)
    let session = LaunchSession(Self.launch(given["launch"]), host: host)
    let missing = Set(given["unregisterHandlers"].list.map(\.text))
    let handlers = MessageRouter.standardHandlers(
      registry: registry, session: session, navigation: ScriptedNavigation(given: given["navigation"]))
    router = MessageRouter(handlers: handlers.filter { !missing.contains($0.domain.rawValue) })
    register()
  }

  /// Fills the registry. What lives in files is opened anew, as by a process that begins.
  public func register() {
    let missing = Set(given["unregisterProviders"].list.map(\.text))
    let biometric = ScriptedBiometricProvider(given: given["biometric"])
    // No keyring: what one test keeps is no other's.
    let store = EncryptedStore(path: folder.file("storage")) { nil }
    let storage = EncryptedStorageProvider(store: store)
    let documents = EncryptedDocumentsProvider(store: store)
    let texts: any SecureStorageProvider =
      given["faults"]["secureStorage.get"].isPresent ? UnreadableStorage(storage: storage) : storage
    let papers: any DocumentsProvider =
      given["faults"]["documents.loadCatalog"].isPresent ? UnreadableDocuments(documents: documents) : documents
    let crypto = KeyStoreCryptoProvider(store: keys, confirmations: ConfirmationDesk(asking: Desktop()))
    registry.register { [nfc, camera, haptics] providers in
      providers.nfc = missing.contains("nfc") ? nil : nfc
      providers.biometric = missing.contains("biometric") ? nil : biometric
      providers.secureStorage = missing.contains("secureStorage") ? nil : texts
      providers.crypto = missing.contains("crypto") ? nil : crypto
      providers.cameraMrz = missing.contains("cameraMrz") ? nil : camera
      providers.haptic = missing.contains("haptic") ? nil : haptics
      providers.documents = missing.contains("documents") ? nil : papers
    }
  }

  private var keys: FileKeyStore {
    FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NobodyToAsk())
  }

  /// Returns when a scan waits for a document that never comes.
  public func waitForScan() async { await nfc.isWaiting.wait() }

  func publicKeys() async throws -> [P256PublicKey] { try await keys.keys().map(\.publicKey) }

  private static func launch(_ given: Vector) -> Launch {
    guard given.isPresent else { return Launch() }
    let request = given["verificationRequest"]
    return Launch(
      mode: Launch.Mode(rawValue: given["mode"].text) ?? .selfApp,
      verificationRequest: VerificationRequest(
        userId: request["userId"].text, scope: request["scope"].text,
        disclosures: request["disclosures"].list.map(\.text)),
      isDebug: given["debug"].flag, platform: given["platform"].text, referenceId: given["referenceId"].text)
  }

  /// Brings about what is stored before the case, by the same way that the case goes.
  func fill(through client: VectorClient) async throws {
    for name in given["keys"].list { try await client.ask("crypto.generateKey", ["keyRef": .string(name.text)]) }
    for key in given["secureStorage"].keys {
      let value = JSONValue.string(given["secureStorage"][key].text)
      try await client.ask("secureStorage.set", ["key": .string(key), "value": value])
    }
    for kind in ["documents", "documentStrings"] {
      for id in given[kind].keys {
        try await client.ask("documents.save", ["id": .string(id), "data": try given[kind][id].json])
      }
    }
    for kind in ["catalogJson", "catalogString"] where given[kind].isPresent {
      try await client.ask("documents.saveCatalog", ["catalog": try given[kind].json])
    }
  }
}

extension Vector {
  var json: JSONValue {
    get throws {
      let data = try JSONSerialization.data(withJSONObject: raw ?? NSNull(), options: .fragmentsAllowed)
      return try JSONValue(text: String(decoding: data, as: UTF8.self))
    }
  }
}
