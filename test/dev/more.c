/* Linked with what is loaded already: add() of ops.c is not. */
int twice(int a)
{
    return 2 * a;
}
