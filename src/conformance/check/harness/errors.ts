/** The checker itself did something wrong, such as sending an invalid frame by accident. */
export class CheckerFault extends Error {
  override readonly name = "CheckerFault";
}

/** A case cannot go on, because the subject does not do something that the case builds on. */
export class Unmet extends Error {
  override readonly name: string = "Unmet";
  /** Set if the subject asks for a sign-in. */
  readonly isAuthentication: boolean;

  constructor(message: string, isAuthentication = false) {
    super(message);
    this.isAuthentication = isAuthentication;
  }
}

/** Requirements of a case do not apply, or the user left out what they need: they are skipped. */
export class NotApplicable extends Unmet {
  override readonly name = "NotApplicable";
}

/** The limit of the run was reached, or the run was ended from outside. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
}

/** For a turn that cannot be brought to its moment: undefined. Other errors are thrown again. */
export function ifUnmet(error: unknown): undefined {
  if (!(error instanceof Unmet)) throw error;
}
