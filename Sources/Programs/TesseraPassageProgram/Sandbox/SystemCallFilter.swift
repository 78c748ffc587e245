/// The system calls that no program in the sandbox may make, as a program of the kernel's filter (seccomp(2)).
///
/// The list names what reaches beyond the file system and the processes of the sandbox: key rings of the kernel, other
/// processes, raw and short-range radio sockets (so also NFC), and the kernel itself. Everything that WebKit's own
/// sandbox needs stays allowed.
enum SystemCallFilter {
  /// The bytes of the filter, for `bwrap --seccomp`.
  static let bytes: [UInt8] = instructions.flatMap(\.bytes)

  /// `struct sock_filter`.
  private struct Instruction {
    let code: UInt16
    var jumpIfTrue: UInt8 = 0
    var jumpIfFalse: UInt8 = 0
    let value: UInt32

    var bytes: [UInt8] {
      [UInt8(code & 0xFF), UInt8(code >> 8), jumpIfTrue, jumpIfFalse]
        + (0..<4).map { UInt8(value >> (8 * UInt32($0)) & 0xFF) }
    }

    /// Loads a word of `struct seccomp_data`.
    static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, value: offset) }
    /// The next instruction if the word is equal; otherwise skips `count` instructions.
    static func ifEqual(_ value: UInt32, elseSkip count: UInt8) -> Instruction {
      Instruction(code: 0x15, jumpIfFalse: count, value: value)
    }
    /// The next instruction if the word is at least this; otherwise skips `count` instructions.
    static func ifAtLeast(_ value: UInt32, elseSkip count: UInt8) -> Instruction {
      Instruction(code: 0x35, jumpIfFalse: count, value: value)
    }
    static func skip(_ count: UInt32) -> Instruction { Instruction(code: 0x05, value: count) }
    static let allow = Instruction(code: 0x06, value: 0x7FFF_0000)
    static let kill = Instruction(code: 0x06, value: 0x8000_0000)
    static func refuse(_ error: UInt32) -> Instruction { Instruction(code: 0x06, value: 0x0005_0000 | error) }
  }

  /// The positions in `struct seccomp_data`.
  private enum Field {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4
    /// The lower half of an argument, on a machine with the lower byte first.
    static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }
  }

  /// EPERM and EAFNOSUPPORT.
  private static let (notPermitted, unknownFamily): (UInt32, UInt32) = (1, 97)

  #if arch(x86_64)
    private static let architecture: UInt32 = 0xC000_003E
    private static let (socket, ioctl, prctl): (UInt32, UInt32, UInt32) = (41, 16, 157)
    private static let refused: [UInt32] = [
      101, 310, 311, 312, 438,  // ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd
      248, 249, 250,  // add_key, request_key, keyctl
      298, 321, 323, 425,  // perf_event_open, bpf, userfaultfd, io_uring_setup
      103, 163, 167, 168, 169, 179,  // syslog, acct, swapon, swapoff, reboot, quotactl
      175, 176, 246, 304, 313, 320,  // init_module, delete_module, kexec_load, open_by_handle_at, finit_module, …
    ]
  #elseif arch(arm64)
    private static let architecture: UInt32 = 0xC000_00B7
    private static let (socket, ioctl, prctl): (UInt32, UInt32, UInt32) = (198, 29, 167)
    private static let refused: [UInt32] = [
      117, 270, 271, 272, 438, 217, 218, 219, 241, 280, 282, 425, 116, 89, 224, 225, 142, 60, 105, 106, 104, 265, 273,
      294,
    ]
  #endif

  /// Sockets of these families: local, IPv4 and IPv6.
  private static let families: [UInt32] = [1, 2, 10]
  private static let netlink: UInt32 = 16

  private static var instructions: [Instruction] {
    // A call by the numbers of another architecture ends the process.
    var program: [Instruction] = [
      .load(Field.architecture), .ifEqual(architecture, elseSkip: 1), .skip(1), .kill, .load(Field.number),
    ]
    #if arch(x86_64)
      // The numbers of x32.
      program += [.ifAtLeast(0x4000_0000, elseSkip: 1), .refuse(notPermitted)]
    #endif
    for number in refused { program += [.ifEqual(number, elseSkip: 1), .refuse(notPermitted)] }
    let ofSocket = ofSocket
    program.append(.ifEqual(socket, elseSkip: UInt8(ofSocket.count)))
    program += ofSocket
    let ofTerminal: [Instruction] = [
      .load(Field.argument(1)),
      .ifEqual(0x5412, elseSkip: 1), .refuse(notPermitted),  // TIOCSTI types into the terminal
      .ifEqual(0x541C, elseSkip: 1), .refuse(notPermitted),  // TIOCLINUX pastes into it
    ]
    program.append(.ifEqual(ioctl, elseSkip: UInt8(ofTerminal.count)))
    program += ofTerminal
    // Without PR_SET_DUMPABLE 0 the user, and so `tessera serve`, sees what a process has open.
    let ofProcess: [Instruction] = [
      .load(Field.argument(0)), .ifEqual(4, elseSkip: 3),
      .load(Field.argument(1)), .ifEqual(0, elseSkip: 1), .refuse(notPermitted), .allow,
    ]
    program += [.load(Field.number), .ifEqual(prctl, elseSkip: UInt8(ofProcess.count))] + ofProcess
    return program + [.allow]
  }

  private static var ofSocket: [Instruction] {
    var program: [Instruction] = [.load(Field.argument(0))]
    for family in families { program += [.ifEqual(family, elseSkip: 1), .allow] }
    // Of the kernel's own sockets only the one that lists networks, which name resolution needs.
    program += [.ifEqual(netlink, elseSkip: 3), .load(Field.argument(2)), .ifEqual(0, elseSkip: 1), .allow]
    return program + [.refuse(unknownFamily)]
  }
}
