import Foundation
public import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TesseraKeys
import TesseraLinuxProviders
import TesseraThreads
public import TestSupport

/// The router and providers that the `given` of one vector describes: real keys, secrets and documents in a temporary
/// folder, and scripted devices.
public final class VectorEnvironment: Sendable {
  public let router: MessageRouter
  public let registry: SdkProviderRegistry
  public let host = RecordingHost()
  let given: Vector
  let nfc: ScriptedNfcProvider
  let camera: ScriptedCameraProvider
  let haptics: ScriptedHapticProvider
  private let folder: TemporaryFolder
  private let biometric: any BiometricProvider

  /// - Parameter biometric: replaces the scripted provider.
  package init(
    given: Vector = .missing, biometric: (any BiometricProvider)? = nil,
    clock: any MonotonicClock = ContinuousClock()
  ) throws {
    self.given = given
    registry = SdkProviderRegistry(clock: clock)
    self.biometric =
      biometric
      ?? ScriptedBiometricProvider(
        given: given["biometric"], isCapable: given["launch"]["capabilities"]["biometrics"].flag)
    folder = try TemporaryFolder()
    nfc = ScriptedNfcProvider(given: given["nfc"])
    camera = ScriptedCameraProvider(
      given: given["camera"], isCapable: given["launch"]["capabilities"]["mrzCamera"].flag)
    haptics = ScriptedHapticProvider(isAvailable: given["haptic"]["available"].flag)
    let session = LaunchSession(Self.launch(given["launch"]), host: host)
    let missing = Set(given["unregisterHandlers"].list.map(\.text))
    let handlers = MessageRouter.standardHandlers(
      registry: registry, session: session, navigation: ScriptedNavigation(given: given["navigation"]))
    router = MessageRouter(handlers: handlers.filter { !missing.contains($0.domain.rawValue) })
    register()
  }

  /// Registers the providers. Files are opened again, as in a new process.
  public func register() {
    let missing = Set(given["unregisterProviders"].list.map(\.text))
    // Without keyring, so that tests do not share keys.
    let store = EncryptedStore(path: folder.file("storage")) { nil }
    let storage = EncryptedStorageProvider(store: store)
    let encryptedDocuments = EncryptedDocumentsProvider(store: store)
    let secureStorage: any SecureStorageProvider =
      given["faults"]["secureStorage.get"].isPresent ? UnreadableStorage(storage: storage) : storage
    let documents: any DocumentsProvider =
      given["faults"]["documents.loadCatalog"].isPresent
      ? UnreadableDocuments(documents: encryptedDocuments) : encryptedDocuments
    let crypto = KeyStoreCryptoProvider(store: keys, confirmations: SignatureConfirmation(prompting: Desktop()))
    registry.register { [nfc, camera, haptics, biometric] providers in
      providers.nfc = missing.contains("nfc") ? nil : nfc
      providers.biometric = missing.contains("biometric") ? nil : biometric
      providers.secureStorage = missing.contains("secureStorage") ? nil : secureStorage
      providers.crypto = missing.contains("crypto") ? nil : crypto
      providers.cameraMrz = missing.contains("cameraMrz") ? nil : camera
      providers.haptic = missing.contains("haptic") ? nil : haptics
      providers.documents = missing.contains("documents") ? nil : documents
    }
  }

  private var keys: FileKeyStore {
    FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NonInteractive())
  }

  /// Waits until a scan waits for a document that is never presented.
  public func waitForScan() async { await nfc.isWaiting.wait() }

  func publicKeys() async throws -> [P256PublicKey] { try await keys.keys().map { try $0.publicKey } }

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

  /// The requests that store the initial content of the case.
  var initialRequests: [(target: String, parameters: JSONObject)] {
    get throws {
      var requests: [(target: String, parameters: JSONObject)] = given["keys"].list.map {
        ("crypto.generateKey", ["keyRef": .string($0.text)])
      }
      for key in given["secureStorage"].keys {
        let value = JSONValue.string(given["secureStorage"][key].text)
        requests.append(("secureStorage.set", ["key": .string(key), "value": value]))
      }
      for kind in ["documents", "documentStrings"] {
        for id in given[kind].keys {
          requests.append(("documents.save", ["id": .string(id), "data": try given[kind][id].json]))
        }
      }
      for kind in ["catalogJson", "catalogString"] where given[kind].isPresent {
        requests.append(("documents.saveCatalog", ["catalog": try given[kind].json]))
      }
      return requests
    }
  }

  /// Stores the initial content of the case through the transport of the case.
  func fill(through client: VectorClient) async throws {
    for (target, parameters) in try initialRequests { try await client.ask(target, parameters) }
  }
}

extension Vector {
  public var json: JSONValue {
    get throws {
      let data = try JSONSerialization.data(withJSONObject: raw ?? NSNull(), options: .fragmentsAllowed)
      return try JSONValue(text: String(decoding: data, as: UTF8.self))
    }
  }
}
