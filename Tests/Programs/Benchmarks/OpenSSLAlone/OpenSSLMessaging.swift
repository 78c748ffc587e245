import CTesseraOpenSSL
import Tessera

/// The lower bound of secure messaging with OpenSSL: the same ciphers over the same number of bytes, in one buffer,
/// with one key schedule per key. Nothing is allocated, encoded or parsed, and the bytes are arbitrary.
final class OpenSSLMessaging {
  private let blockSize: Int
  private let decryption = EVP_CIPHER_CTX_new()
  private let encryption = EVP_CIPHER_CTX_new()
  /// Of the retail MAC.
  private var schedules = (DES_key_schedule(), DES_key_schedule())
  /// CMAC under AES.
  private var authentication: OpaquePointer?
  private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 17)

  init(_ cipher: KeyDerivation.Cipher) throws {
    let isDES = cipher == .tripleDES
    blockSize = isDES ? 8 : 16
    buffer.initialize(repeating: 7, count: 1 << 17)
    let algorithm = isDES ? EVP_des_ede_cbc() : EVP_aes_128_cbc()
    try check(EVP_CipherInit_ex(decryption, algorithm, nil, buffer, buffer, 0))
    try check(EVP_CipherInit_ex(encryption, algorithm, nil, buffer, buffer, 1))
    EVP_CIPHER_CTX_set_padding(decryption, 0)
    EVP_CIPHER_CTX_set_padding(encryption, 0)
    if isDES {
      buffer.withMemoryRebound(to: DES_cblock.self, capacity: 2) { key in
        DES_set_key_unchecked(key, &schedules.0)
        DES_set_key_unchecked(key + 1, &schedules.1)
      }
    } else {
      let algorithm = EVP_MAC_fetch(nil, "CMAC", nil)
      defer { EVP_MAC_free(algorithm) }
      authentication = EVP_MAC_CTX_new(algorithm)
      var name = Array("AES-128-CBC".utf8CString)
      try name.withUnsafeMutableBufferPointer { name in
        var parameters = [
          OSSL_PARAM_construct_utf8_string(tessera_mac_param_cipher, name.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        try check(EVP_MAC_init(authentication, buffer, 16, &parameters))
      }
    }
  }

  deinit {
    EVP_CIPHER_CTX_free(decryption)
    EVP_CIPHER_CTX_free(encryption)
    EVP_MAC_CTX_free(authentication)
    buffer.deallocate()
  }

  /// READ BINARY of `count` bytes: the MAC of the command, the MAC of the answer, its decryption.
  func exchange(_ count: Int) throws {
    // Counter, header, and the object for Le: a block each.
    try mac(3 * blockSize)
    let padded = (count / blockSize + 1) * blockSize
    let lengthField = padded < 0x7F ? 1 : padded < 0xFF ? 2 : 3
    let objects = 1 + lengthField + 1 + padded + 4
    try mac(blockSize + (objects / blockSize + 1) * blockSize)
    // Under AES the encrypted counter is the initialisation vector.
    if blockSize == 16 { try encrypt(blockSize) }
    try run(decryption, padded)
  }

  func encrypt(_ count: Int) throws { try run(encryption, count) }
  func decrypt(_ count: Int) throws { try run(decryption, count) }

  private func run(_ context: OpaquePointer?, _ count: Int) throws {
    var length: Int32 = 0
    try check(EVP_CipherInit_ex(context, nil, nil, nil, buffer, -1))
    try check(EVP_CipherUpdate(context, buffer, &length, buffer, Int32(count)))
  }

  func mac(_ count: Int) throws {
    if blockSize == 8 {
      buffer.withMemoryRebound(to: DES_cblock.self, capacity: 1) { block in
        var vector = DES_cblock(0, 0, 0, 0, 0, 0, 0, 0)
        var chained = vector
        DES_cbc_cksum(buffer, &chained, count, &schedules.0, &vector)
        DES_ecb_encrypt(&chained, block, &schedules.1, DES_DECRYPT)
        DES_ecb_encrypt(block, &chained, &schedules.0, DES_ENCRYPT)
      }
    } else {
      var length = 0
      try check(EVP_MAC_init(authentication, nil, 0, nil))
      try check(EVP_MAC_update(authentication, buffer, count))
      try check(EVP_MAC_final(authentication, buffer, &length, 16))
    }
  }
}

struct OpenSSLFailed: Error {}

func check(_ status: Int32) throws {
  guard status == 1 else { throw OpenSSLFailed() }
}
