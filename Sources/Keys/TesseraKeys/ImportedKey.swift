public import TesseraCore
public import TesseraCryptography

/// Reads private keys from files of other programs.
public enum ImportedKey {
  /// Reads PKCS#8, encrypted or not, or SEC 1, in PEM or DER: the first key on P-256 of the file.
  ///
  /// - Parameters:
  ///   - file: the content of the file.
  ///   - secrets: provides the passphrase of an encrypted file.
  /// - Throws: `ImportError`, `KeyStoreError.wrongPassphrase`, `KeyStoreError.secretNeeded`.
  public static func read(_ file: SecretBytes, _ secrets: any SecretPrompting) async throws -> SigningKey {
    let isPEM = file.withUnsafeBytes { $0.firstRange(of: Array("-----BEGIN".utf8)) != nil }
    return try await isPEM ? pem(file, secrets) : der(file, secrets)
  }

  private static func pem(_ file: SecretBytes, _ secrets: any SecretPrompting) async throws -> SigningKey {
    var blocks: [PEM.Block]
    var isDecrypted = false
    do {
      blocks = try PEM.blocks(of: file, ignoresRest: true)
    } catch CryptographyError.wrongSecret {
      let passphrase = try await secrets.require(.importPassphrase)
      blocks = try translating { try PEM.blocks(of: file, passphrase: passphrase, ignoresRest: true) }
      isDecrypted = true
    } catch {
      throw ImportError.unknownFormat
    }
    // `openssl ecparam -genkey` writes the curve before the key, and a web server can have an RSA key before it.
    var reason = ImportError.unknownFormat
    for block in blocks {
      do {
        switch block.label {
        case "PRIVATE KEY": return try translating { try SigningKey(pkcs8: block.content) }
        case "EC PRIVATE KEY": return try translating { try SigningKey(sec1: block.content) }
        case "ENCRYPTED PRIVATE KEY": return try await encrypted(block.content, secrets)
        default: continue
        }
      } catch ImportError.unsupported {
        reason = .unsupported
      } catch ImportError.unknownFormat where isDecrypted {
        // One of 256 wrong passphrases gives correct padding.
        throw KeyStoreError.wrongPassphrase
      }
    }
    throw reason
  }

  /// Tries SEC 1, PKCS#8 and encrypted PKCS#8, which differ in the types of their first elements.
  private static func der(_ file: SecretBytes, _ secrets: any SecretPrompting) async throws -> SigningKey {
    for read in [SigningKey.init(sec1:), SigningKey.init(pkcs8:)] {
      do {
        return try read(file)
      } catch {
        if case CryptographyError.unsupported = error { throw ImportError.unsupported }
      }
    }
    return try await encrypted(file, secrets)
  }

  private static func encrypted(_ content: SecretBytes, _ secrets: any SecretPrompting) async throws -> SigningKey {
    let envelope = EncryptedPrivateKey(der: content.withUnsafeBytes { Array($0) })
    guard envelope.isWellFormed else { throw ImportError.unknownFormat }
    let passphrase = try await secrets.require(.importPassphrase)
    return try translating { try envelope.key(under: passphrase) }
  }

  private static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CryptographyError {
      switch error {
      case .wrongSecret: throw KeyStoreError.wrongPassphrase
      case .unsupported: throw ImportError.unsupported
      case .malformed, .keyMismatch, .notAuthentic, .openSSL: throw ImportError.unknownFormat
      }
    }
  }
}

/// The reason why a key file cannot be imported.
public enum ImportError: Error, Sendable, Equatable {
  /// The file contains no private key in a supported format.
  case unknownFormat
  /// The key is not on P-256, or its encryption is not supported.
  case unsupported
}

extension ImportError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .unknownFormat:
      Failure(
        .usage, "The file contains no readable private key.",
        remedy: "Use a PKCS#8 or SEC 1 file, in PEM or DER. For a key of OpenSSH, convert a copy: `cp FILE COPY && "
          + "ssh-keygen -p -m PKCS8 -f COPY`. For a PKCS#12 file: `openssl pkcs12 -nocerts -in FILE -out key.pem`.")
    case .unsupported:
      Failure(
        .usage, "The private key is not on P-256, or its encryption is not supported.",
        remedy: "Use a P-256 key, encrypted with `openssl pkcs8 -topk8 -v2 aes-256-cbc` if necessary.")
    }
  }
}
