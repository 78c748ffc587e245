public import TestSupport

extension BridgeVectors {
  /// The cases for every transport but the first: all cases pass in process, and another transport can only distort the
  /// message that it carries. `TESSERA_SWEEP=full` gives all of them.
  public static let carriedCases: [Vector] = Sweep.rows(cases) { carried.contains($0.id) }

  /// The sequences for the same transports: the one with many events and the one that cancels a request are about the
  /// order of messages, the other about data that outlive a connection.
  public static let carriedSequences: [Vector] = Sweep.rows(VectorSequences.all) {
    ["seq.nfc.cancelDuringScan", "seq.nfc.progressOrder", "seq.secureStorage.persistence"].contains($0.id)
  }

  /// A tenth of the cases, with every domain, and with what the text of a message can lose or gain on its way.
  private static let carried: Set<String> = [
    // What is no request: not JSON, nothing at all, another value of JSON, a member of the wrong type.
    "envelope.drop.notJson", "envelope.drop.emptyString", "envelope.drop.array", "envelope.malformed.paramsString",
    // A source that is not trusted, which the transport itself recognises.
    "envelope.drop.untrustedSource",
    // Numbers, and an error that the envelope gives.
    "envelope.version.unsupported",
    // Escapes, separators of lines and characters beyond 16 bits.
    "secureStorage.get.unicode",
    // null as data, an empty text.
    "secureStorage.get.miss", "secureStorage.set.emptyValue",
    // Bytes in base64, in both directions.
    "crypto.sign", "crypto.getPublicKey.x963",
    // The longest message, with its events; an error amid events; a request that another one cancels.
    "nfc.scan.android.pace", "nfc.scan.cancelledWhileWaiting", "camera.scanMRZ.progress",
    // null within parameters.
    "nfc.scan.apdu.null",
    // Objects and lists as data.
    "documents.loadCatalog.kmp", "documents.seed.list", "lifecycle.getConfig",
    // What the host receives, and true and false as data.
    "lifecycle.setResult.typed.proofObject", "biometrics.isAvailable.false",
    // One of each other domain, and an error of a provider.
    "haptic.notification.warning", "analytics.trackNfcEvent.kmp", "navigation.goBack.handled", "custody.notHosted",
    "internalError.handlerThrows",
  ]
}
