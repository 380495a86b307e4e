"""Second factors: enrolment, challenges, proofs (auth reference 8)."""
