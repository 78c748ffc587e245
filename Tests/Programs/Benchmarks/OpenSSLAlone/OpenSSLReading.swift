import CTesseraOpenSSL
import Tessera

/// The lower bound of access control and of reading files with OpenSSL: the same primitives, as often and over as many
/// bytes as the protocols require.
struct OpenSSLReading {
  private let cipher: KeyDerivation.Cipher
  private let agreement: OpenSSLAgreement?
  private let blocks: [Int]

  init(_ mode: ReadingMode, _ lengths: [Int]) throws {
    blocks = mode.blocks(of: lengths)
    cipher = mode.profile.pace.first?.cipher ?? .tripleDES
    let curves = [12: NID_X9_62_prime256v1, 13: NID_brainpoolP256r1]
    agreement = try mode.profile.pace.first.flatMap { curves[$0.parameters.identifier] }.map(OpenSSLAgreement.init)
  }

  func run() throws {
    let access = try OpenSSLMessaging(cipher)
    if let agreement {
      try digest(24)  // the SHA-1 of the MRZ information, and K_pi
      try digest(24)
      try access.decrypt(16)
      try agreement.run()
    } else {
      for _ in 0..<3 { try digest(24) }  // K_seed, K_Enc, K_MAC
      var random = [UInt8](repeating: 0, count: 24)
      try check(RAND_bytes(&random, 24))
      try access.encrypt(32)
      try access.mac(40)
      try access.mac(40)
      try access.decrypt(32)
    }
    for _ in 0..<2 { try digest(36) }  // KS_Enc, KS_MAC
    let session = try OpenSSLMessaging(cipher)
    if agreement != nil {
      // Both tokens, and SELECT of the application.
      for _ in 0..<2 { try session.mac(96) }
      try session.encrypt(16)
      try session.exchange(0)
    }
    for block in blocks { try session.exchange(block) }
  }

  private func digest(_ count: Int) throws {
    let input = [UInt8](repeating: 7, count: count)
    var output = [UInt8](repeating: 0, count: 20)
    try check(EVP_Digest(input, input.count, &output, nil, EVP_sha1(), nil))
  }
}

/// The reader's part of two key agreements on a curve, and of Generic Mapping between them (Doc 9303-11, 4.4.3.3.1):
/// five point multiplications and one addition. The creation of the group is not included.
final class OpenSSLAgreement {
  private let group: OpaquePointer?
  private let context = BN_CTX_new()
  /// The chip's two public keys, encoded.
  private var keys: [[UInt8]] = []

  init(_ curve: Int32) throws {
    group = EC_GROUP_new_by_curve_name(curve)
    for _ in 0..<2 {
      let point = try multiple(nil)
      defer { EC_POINT_free(point) }
      keys.append(try encoded(point))
    }
  }

  deinit {
    EC_GROUP_free(group)
    BN_CTX_free(context)
  }

  func run() throws {
    // The reader's mapping key, the shared secret of the mapping, and the nonce times the generator.
    let own = try multiple(nil)
    _ = try encoded(own)
    let shared = try multiple(try decoded(keys[0]))
    let generator = try multiple(nil)
    try check(EC_POINT_add(group, generator, generator, shared, context))
    // The reader's ephemeral key with the new generator, and the shared secret.
    let ephemeral = try multiple(generator)
    _ = try encoded(ephemeral)
    let secret = try multiple(try decoded(keys[1]))
    _ = try encoded(secret)
    for point in [own, shared, ephemeral, secret] { EC_POINT_free(point) }
  }

  /// A random multiple of a point, which is freed, or of the generator.
  private func multiple(_ point: OpaquePointer?) throws -> OpaquePointer? {
    let scalar = BN_secure_new()
    defer { BN_clear_free(scalar) }
    try check(BN_priv_rand_range(scalar, EC_GROUP_get0_order(group)))
    let result = EC_POINT_new(group)
    if let point {
      try check(EC_POINT_mul(group, result, nil, point, scalar, context))
      EC_POINT_free(point)
    } else {
      try check(EC_POINT_mul(group, result, scalar, nil, nil, context))
    }
    return result
  }

  private func encoded(_ point: OpaquePointer?) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65)
    guard EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, 65, context) == 65 else {
      throw OpenSSLFailed()
    }
    return bytes
  }

  /// Decoding checks that the point is on the curve.
  private func decoded(_ bytes: [UInt8]) throws -> OpaquePointer? {
    let point = EC_POINT_new(group)
    try check(EC_POINT_oct2point(group, point, bytes, bytes.count, context))
    return point
  }
}
