/// The commands that will probably follow a file. They are made only when they can be sent, since they depend on what the
/// chip supports by then.
///
/// This is a structure because the compiler makes a copy of a function for each closure that is passed to it. The copies
/// of the functions that read a file took 0.2 MB.
struct FollowingCommands {
  static var none: FollowingCommands { FollowingCommands { [] } }

  let commands: () -> [ForeseenCommand]
}
